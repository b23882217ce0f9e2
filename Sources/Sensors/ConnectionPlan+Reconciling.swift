extension ConnectionPlan {
  /// Compares what is with what should be and orders the difference: the end of every input.
  ///
  /// Discoveries that end come first, since some adapters refuse to connect while they scan, then the connects, then
  /// the discoveries that begin.
  mutating func reconcile(at now: BootInstant, _ commands: [Command]) -> [Command] {
    var commands = commands
    dismissStrangers(at: now, &commands)
    reconcileLooks(at: now)
    let connects = startAttempts(at: now)
    var starts: [Command] = []
    for position in adapters.indices {
      reconcileDiscovery(position, at: now, stops: &commands, starts: &starts)
    }
    return commands + connects + starts
  }

  /// Gives up the place of each sensor that is not listed and of which nothing is left: heard again, it is a new one.
  private mutating func dismissStrangers(at now: BootInstant, _ commands: inout [Command]) {
    for index in sensors.indices.reversed() where isGone(sensors[index]) && !allowed.contains(sensors[index].address) {
      dismiss(index, at: now, &commands)
    }
  }

  private func isGone(_ sensor: Sensor) -> Bool {
    guard case .searching = sensor.phase, !sensor.isDismissed else { return false }
    return !sensor.presences.contains { $0.isKnown || $0.isLinked || $0.call != nil }
  }

  /// Which adapter to connect this sensor over if now were the time: one that hears it rather than one that only knows
  /// it, then the stronger signal.
  func bestAdapter(for sensor: Sensor) -> AdapterIndex? {
    guard case .searching = sensor.phase, !sensor.isDismissed, !sensor.isShared else { return nil }
    var best: Presence?
    for presence in sensor.presences {
      guard presence.isKnown, presence.call == nil, presence.isFresh || sensor.isEager, isUsable(presence.adapter)
      else { continue }
      if let other = best, rank(presence) <= rank(other) { continue }
      best = presence
    }
    return best?.adapter
  }

  private func rank(_ presence: Presence) -> (Int, Int16) {
    (presence.isFresh ? 1 : 0, presence.rssi ?? .min)
  }

  /// Begins every attempt that is due and has room, longest waiting first.
  private mutating func startAttempts(at now: BootInstant) -> [Command] {
    let ready = sensors.indices.filter { sensor in
      (sensors[sensor].notBefore ?? now) <= now && bestAdapter(for: sensors[sensor]) != nil
    }
    var connects: [Command] = []
    for sensor in ready.sorted(by: { sensors[$0].since < sensors[$1].since }) {
      guard let adapter = bestAdapter(for: sensors[sensor]),
        attentiveAttempts(on: adapter) < parameters.concurrentAttempts
      else { continue }
      begin(sensor, on: adapter, at: now)
      connects.append(.connect(sensors[sensor].address, on: adapter))
    }
    return connects
  }

  private mutating func begin(_ sensor: Int, on adapter: AdapterIndex, at now: BootInstant) {
    for position in sensors[sensor].presences.indices {
      sensors[sensor].presences[position].isFresh = false
    }
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].call = .pending(until: now.advanced(by: parameters.answer))
    sensors[sensor].isEager = false
    let connectsOnlyQuietly = adapterPosition(adapter).map { adapters[$0].connectsOnlyQuietly } ?? false
    let needsQuiet = sensors[sensor].wantsQuiet || connectsOnlyQuietly
    // Quiet also by itself, where discovery goes on for nobody else.
    let isQuiet = needsQuiet || !isDiscoveryWanted(without: sensor)
    enter(.connecting(Attempt(adapter: adapter, isQuiet: isQuiet, needsQuiet: needsQuiet)), sensor, at: now)
  }

  private func attentiveAttempts(on adapter: AdapterIndex) -> Int {
    sensors.count { sensor in
      if case .connecting(let attempt) = sensor.phase {
        attempt.adapter == adapter && attempt.isAttentive
      } else {
        false
      }
    }
  }

  /// Whether listening could find what is missing, one sensor apart: not while an attempt that has just begun may find it.
  private func isDiscoveryWanted(without excluded: Int? = nil) -> Bool {
    if case .any = allowed.unlisted, sensors.count < AllowList.capacity { return true }
    return sensors.indices.contains { index in
      let sensor = sensors[index]
      guard index != excluded, !sensor.isDismissed, !sensor.isShared else { return false }
      switch sensor.phase {
      case .searching: return true
      case .connecting(let attempt): return !attempt.isAttentive
      case .linked, .leaving: return false
      }
    }
  }

  private func isQuietNow(_ adapter: AdapterIndex) -> Bool {
    sensors.contains { sensor in
      if case .connecting(let attempt) = sensor.phase {
        attempt.adapter == adapter && attempt.isAttentive && attempt.needsQuiet
      } else {
        false
      }
    }
  }

  private mutating func reconcileDiscovery(
    _ position: Int, at now: BootInstant, stops: inout [Command], starts: inout [Command]
  ) {
    let adapter = adapters[position]
    var wanted: Discovery?
    if isUsable(adapter.index) && isDiscoveryWanted() && !isQuietNow(adapter.index) {
      wanted = looks.isLooking ? .everything : .heartRateService
    }
    switch adapter.discovery {
    case .running(let kind, _) where kind != wanted:
      if wanted == nil { stops.append(.stopDiscovery(on: adapter.index)) }
    case .off: break
    case .running, .failed: return
    }
    if let wanted {
      starts.append(.startDiscovery(on: adapter.index, wanted))
      endQuiet(on: adapter.index)
      adapters[position].discovery = .running(wanted, since: now)
    } else {
      adapters[position].discovery = .off
    }
  }

  /// Attempts that were quiet by themselves are no longer, since somebody else is looked for.
  private mutating func endQuiet(on adapter: AdapterIndex) {
    for sensor in sensors.indices {
      guard case .connecting(var attempt) = sensors[sensor].phase, attempt.adapter == adapter else { continue }
      attempt.isQuiet = false
      sensors[sensor].phase = .connecting(attempt)
    }
  }

  /// Plans looks while something is missing and could be heard, and none otherwise.
  private mutating func reconcileLooks(at now: BootInstant) {
    guard isSensorMissing, adapters.contains(where: \.isPowered) else {
      looks = Looks()
      return
    }
    if looks.phase == .off { planLook(at: now) }
  }

  mutating func advanceLooks(to now: BootInstant) {
    switch looks.phase {
    case .looking(let until) where until <= now: planLook(at: now)
    case .waiting(let until) where until <= now: looks.phase = .looking(until: now.advanced(by: parameters.look))
    case .off, .waiting, .looking: break
    }
  }

  private mutating func planLook(at now: BootInstant) {
    let isAnyoneUnheard = sensors.contains { sensor in
      if case .searching = sensor.phase { sensor.foundBy != .heartRateService } else { false }
    }
    let wait = looks.retry.next(
      first: parameters.firstLook,
      longest: isAnyoneUnheard ? parameters.longestUnheardLookInterval : parameters.longestLookInterval, using: &random)
    looks.phase = .waiting(until: now.advanced(by: wait))
  }
}
