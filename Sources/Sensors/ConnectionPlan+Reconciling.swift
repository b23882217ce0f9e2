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
    for case .connect(let address, _) in connects { fatalCalls.called(.connect(address), at: now) }
    for case .startDiscovery(_, let what) in starts {
      fatalCalls.called(what == .heartRateService ? .filteredDiscovery : .discovery, at: now)
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

  /// The adapter over which to connect this sensor if now were the time: one that hears the sensor rather than one that
  /// only knows it, then the one with the stronger signal. Where BlueZ does not filter, to be known is enough.
  func bestAdapter(for sensor: Sensor) -> AdapterIndex? {
    guard case .searching = sensor.phase, isConnectable(sensor) else { return nil }
    var best: Presence?
    for presence in sensor.presences {
      guard presence.isKnown, presence.call == nil, isUsable(presence.adapter),
        presence.isFresh || sensor.isEager || isUnfiltered(presence.adapter)
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
    let isVigil = !sensors[sensor].isEager && !sensors[sensor].presences.contains(where: \.isFresh)
    for position in sensors[sensor].presences.indices {
      sensors[sensor].presences[position].isFresh = false
    }
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].call = .pending(until: now.advanced(by: parameters.answer))
    sensors[sensor].isEager = false
    sensors[sensor].lastTry = now
    let connectsOnlyQuietly = adapterPosition(adapter).map { adapters[$0].connectsOnlyQuietly } ?? false
    let needsQuiet = sensors[sensor].wantsQuiet || connectsOnlyQuietly
    // An attempt is quiet by itself, too, where discovery goes on for no other sensor.
    let goesOn = adapters.contains { $0.index == adapter && wantedDiscovery(on: $0, without: sensor) != nil }
    let isQuiet = needsQuiet || !goesOn
    let attempt = Attempt(
      adapter: adapter, isQuiet: isQuiet, needsQuiet: needsQuiet, isAttentive: !isVigil, isVigil: isVigil)
    enter(.connecting(attempt), sensor, at: now)
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

  /// The discovery that an adapter is to make, one sensor apart.
  private func wantedDiscovery(on adapter: Adapter, without excluded: Int? = nil) -> Discovery? {
    guard adapter.filtersServices != nil, isDiscoveryUseful(on: adapter, without: excluded) else { return nil }
    if looks.isLooking { return .everything }
    return isUnfiltered(adapter) ? nil : .heartRateService
  }

  /// Whether listening could find what is missing: not while an attempt that has just begun may find it. Where BlueZ does
  /// not filter, a sensor that it knows is waited for by a pending Connect.
  private func isDiscoveryUseful(on adapter: Adapter, without excluded: Int? = nil) -> Bool {
    guard !fatalCalls.isGivenUp(.discovery) else { return false }
    if isOpenToStrangers { return true }
    return sensors.indices.contains { index in
      let sensor = sensors[index]
      guard index != excluded, isConnectable(sensor),
        !isUnfiltered(adapter) || !sensor.presences.contains(where: { $0.adapter == adapter.index && $0.isKnown })
      else { return false }
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
    let wanted = isUsable(adapter.index) && !isQuietNow(adapter.index) ? wantedDiscovery(on: adapter) : nil
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

  /// Ends the quiet of attempts that were quiet by themselves, since discovery begins for another sensor.
  private mutating func endQuiet(on adapter: AdapterIndex) {
    for sensor in sensors.indices {
      guard case .connecting(var attempt) = sensors[sensor].phase, attempt.adapter == adapter else { continue }
      attempt.isQuiet = false
      sensors[sensor].phase = .connecting(attempt)
    }
  }

  /// Plans looks only while a sensor is missing that could be heard.
  private mutating func reconcileLooks(at now: BootInstant) {
    guard areLooksUseful, adapters.contains(where: { $0.isPowered && $0.filtersServices != nil }) else {
      looks = Looks()
      return
    }
    guard looks.phase == .off else { return }
    // Only looks find a sensor there, so the first one begins at once.
    if looksOnly { looks.phase = .looking(until: now.advanced(by: parameters.look)) } else { planLook(at: now) }
  }

  private var areLooksUseful: Bool {
    guard looksOnly else { return isSensorMissing }
    return adapters.contains { isUsable($0.index) && isDiscoveryUseful(on: $0) }
  }

  mutating func advanceLooks(to now: BootInstant) {
    switch looks.phase {
    case .looking(let until) where until <= now: planLook(at: now)
    case .waiting(let until) where until <= now: looks.phase = .looking(until: now.advanced(by: parameters.look))
    case .off, .waiting, .looking: break
    }
  }

  private mutating func planLook(at now: BootInstant) {
    guard !looksOnly else {
      looks.phase = .waiting(until: now.advanced(by: parameters.lookPause))
      return
    }
    let isAnyoneUnheard = sensors.contains { sensor in
      if case .searching = sensor.phase { sensor.foundBy != .heartRateService } else { false }
    }
    let wait = looks.retry.next(
      first: parameters.firstLook,
      longest: isAnyoneUnheard ? parameters.longestUnheardLookInterval : parameters.longestLookInterval, using: &random)
    looks.phase = .waiting(until: now.advanced(by: wait))
  }
}
