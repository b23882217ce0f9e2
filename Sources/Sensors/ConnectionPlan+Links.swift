extension ConnectionPlan {
  /// Handles `Connected: true`: a link is up, made by this plan or by another program.
  public mutating func linkUp(_ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    var commands: [Command] = []
    let position = presencePosition(sensor, on: adapter)
    // The link of a Connect that was cancelled is not wanted, and Disconnect has been called.
    if sensors[sensor].presences[position].call?.isCanceled == true { return [] }
    switch sensors[sensor].phase {
    case .connecting(let attempt) where attempt.adapter == adapter:
      adopt(sensor, from: attempt, at: now, &commands)
    case .connecting(let attempt):
      cancel(attempt, of: sensor, at: now, &commands)
      adopt(sensor, on: adapter, isOurs: false, at: now, &commands)
    case .searching where sensors[sensor].wantsPairing:
      sensors[sensor].presences[position].isLinked = true
    case .searching where !sensors[sensor].isDismissed:
      let isOurs = sensors[sensor].presences[position].call != nil
      adopt(sensor, on: adapter, isOurs: isOurs, at: now, &commands)
    case .linked(let link) where link.adapter != adapter && !sensors[sensor].presences[position].isLinked:
      sensors[sensor].presences[position].isLinked = true
      commands.append(.refuse(address, on: adapter, recordedOn: link.adapter))
    case .leaving(let left, _) where left != adapter:
      sensors[sensor].presences[position].isLinked = true
    case .searching, .linked, .leaving: return []
    }
    return reconcile(at: now, commands)
  }

  /// Handles `ServicesResolved: true`: values can come from now on, and silence counts.
  public mutating func servicesResolved(
    _ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant
  ) -> [Command] {
    let commands = linkUp(address, on: adapter, at: now)
    guard let sensor = index(of: address), case .linked(var link) = sensors[sensor].phase, link.adapter == adapter,
      !link.isResolved
    else { return commands }
    sensors[sensor].unresolved = 0
    link.watch = SilenceWatch(quietSince: now, checkAt: now.advanced(by: parameters.silence))
    if letsOtherGoFirst(sensor), sensors[sensor].followedOn == nil {
      link.followAt = now.advanced(by: parameters.headStart)
    }
    sensors[sensor].phase = .linked(link)
    return commands
  }

  /// Handles a sensor that has not answered the subscription: it demands to be paired.
  ///
  /// A link of this plan is ended and made again after growing waits. An open link would be worse: after 30 s BlueZ
  /// drops the device with its pending request, and version 5.66 was once seen to end at that.
  public mutating func subscriptionUnanswered(
    _ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address), case .linked(let link) = sensors[sensor].phase, link.adapter == adapter,
      mayDisconnect(link, sensor)
    else { return [] }
    var commands: [Command] = []
    sensors[sensor].wantsPairing = true
    unfollow(sensor, &commands)
    leave(adapter, sensor, at: now, &commands)
    return reconcile(at: now, commands)
  }

  /// Handles a sensor for which the host has keys now: an existing link is used, or else one is made, without further
  /// waiting.
  public mutating func paired(_ address: SensorAddress, at now: BootInstant) -> [Command] {
    guard let sensor = index(of: address), sensors[sensor].wantsPairing else { return [] }
    var commands: [Command] = []
    beEager(sensor)
    endWaitForPairing(sensor, at: now, &commands)
    return reconcile(at: now, commands)
  }

  /// Ends the wait for pairing: a link of another program that was left alone meanwhile is used.
  mutating func endWaitForPairing(_ sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    guard sensors[sensor].wantsPairing else { return }
    sensors[sensor].wantsPairing = false
    guard case .searching = sensors[sensor].phase, !sensors[sensor].isDismissed,
      let other = sensors[sensor].presences.first(where: \.isLinked)
    else { return }
    adopt(sensor, on: other.adapter, isOurs: false, at: now, &commands)
  }

  /// Handles `Connected: false`, or an error with the same meaning.
  public mutating func linkLost(_ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    var commands: [Command] = []
    loseLink(sensor, on: adapter, at: now, &commands)
    removeIfDone(sensor)
    return reconcile(at: now, commands)
  }

  /// Handles a measurement over the recorded link. Never brings ``deadline`` forward, so that nothing else is to be
  /// done.
  public mutating func valueReceived(from address: SensorAddress, at now: BootInstant) {
    guard let sensor = index(of: address), case .linked(var link) = sensors[sensor].phase else { return }
    link.hasValue = true
    link.watch?.quietSince = now
    sensors[sensor].phase = .linked(link)
    sensors[sensor].silences = 0
  }

  /// Handles the news that another program has the values of the recorded link, or has them no more.
  public mutating func valuesUsedElsewhere(_ isUsed: Bool, from address: SensorAddress) {
    guard let sensor = index(of: address), case .linked(var link) = sensors[sensor].phase else { return }
    link.isUsedElsewhere = isUsed
    sensors[sensor].phase = .linked(link)
    if link.followAt != nil { sensors[sensor].isLeftToUs = !isUsed }
  }

  /// Handles the arrival or the end of another recorder on this machine, which goes first. A recording under way goes
  /// on until the link is lost.
  public mutating func otherRecorder(isThere: Bool, at now: BootInstant) -> [Command] {
    givesPrecedence = isThere
    var commands: [Command] = []
    for sensor in sensors.indices {
      sensors[sensor].isLeftToUs = false
      guard !isThere, sensors[sensor].followedOn == nil, case .linked(let link) = sensors[sensor].phase else {
        continue
      }
      follow(sensor, on: link.adapter, &commands)
    }
    return reconcile(at: now, commands)
  }

  /// Asks for the values of the recorded link.
  mutating func follow(_ sensor: Int, on adapter: AdapterIndex, _ commands: inout [Command]) {
    sensors[sensor].followedOn = adapter
    commands.append(.follow(sensors[sensor].address, on: adapter))
  }

  private func letsOtherGoFirst(_ sensor: Int) -> Bool { givesPrecedence && !sensors[sensor].isLeftToUs }

  /// Records over this link from now on.
  mutating func adopt(
    _ sensor: Int, on adapter: AdapterIndex, isOurs: Bool, at now: BootInstant, _ commands: inout [Command]
  ) {
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].isKnown = true
    sensors[sensor].presences[position].isLinked = true
    sensors[sensor].isEager = false
    enter(.linked(Link(adapter: adapter, isOurs: isOurs)), sensor, at: now)
    if sensors[sensor].followedOn != adapter { unfollow(sensor, &commands) }
    guard !letsOtherGoFirst(sensor) else { return unfollow(sensor, &commands) }
    follow(sensor, on: adapter, &commands)
  }

  /// Withdraws the request for a sensor's values: over an adapter that is not the recorded one each value would be
  /// recorded twice, and values of a sensor that is not wanted any more would not reach the program that wants them.
  mutating func unfollow(_ sensor: Int, _ commands: inout [Command]) {
    guard let adapter = sensors[sensor].followedOn else { return }
    sensors[sensor].followedOn = nil
    commands.append(.unfollow(sensors[sensor].address, on: adapter))
  }

  /// Records over the link that an attempt has made, and remembers what this shows of its adapter.
  mutating func adopt(_ sensor: Int, from attempt: Attempt, at now: BootInstant, _ commands: inout [Command]) {
    if let position = adapterPosition(attempt.adapter) {
      adapters[position].fullRetry.reset()
      if attempt.isQuiet && sensors[sensor].wantsQuiet { adapters[position].connectsOnlyQuietly = true }
    }
    sensors[sensor].wantsQuiet = false
    adopt(sensor, on: attempt.adapter, isOurs: true, at: now, &commands)
  }

  mutating func loseLink(
    _ sensor: Int, on adapter: AdapterIndex, at now: BootInstant, _ commands: inout [Command]
  ) {
    if let position = sensors[sensor].presences.firstIndex(where: { $0.adapter == adapter && $0.isLinked }) {
      sensors[sensor].presences[position].isLinked = false
      if let place = adapterPosition(adapter) { adapters[place].fullUntil = nil }
    }
    var notBefore: BootInstant?
    switch sensors[sensor].phase {
    case .linked(let link) where link.adapter == adapter:
      if link.hasValue { sensors[sensor].retry.reset() }
      let wasLostAtOnce = !link.isResolved && now.duration(since: sensors[sensor].since) < parameters.lostAtOnce
      let failures = sensors[sensor].retry.failures
      let wait = sensors[sensor].retry.next(
        first: wasLostAtOnce ? parameters.soonRetry : parameters.firstRetry, longest: parameters.longestRetry,
        using: &random)
      if link.hasValue {
        // A program that ends each link of this plan does not get the next one at the speed of the bus.
        notBefore = sensors[sensor].lastTry?.advanced(by: parameters.betweenTries)
      } else {
        // The first try comes at once; the wait that was drawn for it is not needed.
        notBefore = failures == 0 ? nil : now.advanced(by: wait)
      }
      sensors[sensor].isEager = link.isOurs
    case .leaving(adapter, _):
      sensors[sensor].isEager = true
      if sensors[sensor].wantsPairing {
        let wait = sensors[sensor].retry.next(
          first: parameters.firstAuthenticationRetry, longest: parameters.longestAuthenticationRetry, using: &random)
        notBefore = now.advanced(by: wait)
      } else if sensors[sensor].unresolved > 1 {
        // The first is made anew at once: the link that a bluetoothd has left to the next is such a one.
        let wait = sensors[sensor].retry.next(
          first: parameters.firstRetry, longest: parameters.longestUnresolvedRetry, using: &random)
        notBefore = now.advanced(by: wait)
      }
    case .searching, .connecting, .linked, .leaving: return
    }
    enter(.searching(notBefore: notBefore), sensor, at: now)
    if letsOtherGoFirst(sensor) { unfollow(sensor, &commands) }
    if let other = sensors[sensor].presences.first(where: \.isLinked), !sensors[sensor].isDismissed {
      adopt(sensor, on: other.adapter, isOurs: false, at: now, &commands)
    }
  }

  /// Ends a link of ours.
  mutating func leave(_ adapter: AdapterIndex, _ sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    enter(.leaving(adapter, until: now.advanced(by: parameters.leaving)), sensor, at: now)
    commands.append(.disconnect(sensors[sensor].address, on: adapter))
  }

  func mayDisconnect(_ link: Link, _ sensor: Int) -> Bool {
    link.isOurs && !link.isUsedElsewhere && !sensors[sensor].isShared
  }

  func silenceLimit(_ sensor: Int) -> Duration {
    min(parameters.silence * (1 << min(sensors[sensor].silences, 10)), parameters.longestSilence)
  }
}
