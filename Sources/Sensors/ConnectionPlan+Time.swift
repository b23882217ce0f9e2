extension ConnectionPlan {
  /// When ``timeReached(_:)`` is to be called next; nil where nothing waits for the time. It may turn out to have been
  /// early, never late: a timer that was set stays right.
  public var deadline: BootInstant? {
    var earliest: BootInstant?
    func consider(_ instant: BootInstant?) {
      guard let instant else { return }
      earliest = earliest.map { min($0, instant) } ?? instant
    }
    for sensor in sensors {
      for presence in sensor.presences { consider(presence.call?.until) }
      switch sensor.phase {
      case .searching(let notBefore):
        if bestAdapter(for: sensor) != nil { consider(notBefore) }
      case .connecting(let attempt):
        if attempt.isAttentive { consider(sensor.since.advanced(by: parameters.attentiveTime)) }
      case .linked(let link):
        consider(link.watch?.checkAt ?? resolveLimit(link, sensor))
        if sensor.followedOn == nil { consider(link.followAt) }
      case .leaving(_, let until):
        consider(until)
      }
    }
    guard isSensorMissing || isOpenToStrangers else { return earliest }
    for adapter in adapters where adapter.isPowered {
      consider(adapter.fullUntil)
      if case .failed(let until) = adapter.discovery { consider(until) }
    }
    consider(looks.deadline)
    return earliest
  }

  /// Does what has become due. Calling it early does no harm.
  public mutating func timeReached(_ now: BootInstant) -> [Command] {
    var commands: [Command] = []
    for position in adapters.indices {
      if let until = adapters[position].fullUntil, until <= now { adapters[position].fullUntil = nil }
      if case .failed(let until) = adapters[position].discovery, until <= now { adapters[position].discovery = .off }
    }
    advanceLooks(to: now)
    for sensor in sensors.indices.reversed() {
      giveUpAnswers(of: sensor, at: now, &commands)
      switch sensors[sensor].phase {
      case .searching(let notBefore):
        if let notBefore, notBefore <= now {
          sensors[sensor].notBefore = nil
          endWaitForPairing(sensor, at: now, &commands)
        }
      case .connecting(var attempt):
        if sensors[sensor].since.advanced(by: parameters.attentiveTime) <= now { attempt.isAttentive = false }
        sensors[sensor].phase = .connecting(attempt)
      case .linked(let link):
        if let followAt = link.followAt, followAt <= now, sensors[sensor].followedOn == nil {
          follow(sensor, on: link.adapter, &commands)
        }
        watch(link, sensor, at: now, &commands)
      case .leaving(let adapter, let until) where until <= now:
        leave(adapter, sensor, at: now, &commands)
      case .leaving: break
      }
      removeIfDone(sensor)
    }
    return reconcile(at: now, commands)
  }

  private func resolveLimit(_ link: Link, _ sensor: Sensor) -> BootInstant? {
    link.isOurs && !sensor.isShared ? sensor.since.advanced(by: parameters.resolving) : nil
  }

  /// The watchdog of a link: services that do not resolve, values that do not come.
  private mutating func watch(_ link: Link, _ sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    guard var watch = link.watch else {
      guard let limit = resolveLimit(link, sensors[sensor]), limit <= now else { return }
      sensors[sensor].unresolved += 1
      if sensors[sensor].unresolved == 2 {
        commands.append(.unresolved(sensors[sensor].address, on: link.adapter))
      }
      return leave(link.adapter, sensor, at: now, &commands)
    }
    guard watch.checkAt <= now else { return }
    let limit = watch.quietSince.advanced(by: silenceLimit(sensor))
    if limit <= now {
      sensors[sensor].silences += 1
      if mayDisconnect(link, sensor) { return leave(link.adapter, sensor, at: now, &commands) }
      commands.append(.resubscribe(sensors[sensor].address, on: link.adapter))
      watch.quietSince = now
    }
    // The shortest limit, since a value brings it back without moving the timer.
    watch.checkAt =
      limit <= now ? now.advanced(by: parameters.silence) : min(limit, now.advanced(by: parameters.silence))
    var link = link
    link.watch = watch
    sensors[sensor].phase = .linked(link)
  }
}
