extension ConnectionPlan {
  /// BlueZ has an object for this device, whether it advertises or not. Told at the start for every object there is,
  /// for each that is added, and again where `isShared` changes.
  ///
  /// `isShared`: others use the device too, a game controller with a heart-rate sensor for instance (it offers 1812,
  /// HID). Its links are used, but it is neither connected nor disconnected.
  public mutating func deviceKnown(
    _ address: SensorAddress, on adapter: AdapterIndex, isShared: Bool = false, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].isShared = isShared
    if !sensors[sensor].presences[position].isKnown {
      sensors[sensor].presences[position].isKnown = true
      sensors[sensor].isEager = true
    }
    return reconcile(at: now, [])
  }

  /// BlueZ has removed its object for this device, and with it any link.
  public mutating func deviceForgotten(
    _ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    var commands: [Command] = []
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].isKnown = false
    sensors[sensor].presences[position].isFresh = false
    // Nothing is known of it any more, what it advertises included: it may take a look at everything to hear it again.
    sensors[sensor].foundBy = nil
    looks.retry.reset()
    if case .waiting(let until) = looks.phase {
      let isOnlyWay = adapters.contains(where: isUnfiltered) && allowed.contains(address)
      looks.phase = isOnlyWay ? .off : .waiting(until: min(until, now.advanced(by: parameters.firstLook)))
    }
    loseLink(sensor, on: adapter, at: now, &commands)
    removeIfDone(sensor)
    return reconcile(at: now, commands)
  }

  /// An advertisement was heard. Costs next to nothing for a device that is not allowed or not missing.
  public mutating func deviceSeen(
    _ address: SensorAddress, on adapter: AdapterIndex, rssi: Int16, at now: BootInstant
  ) -> [Command] {
    if index(of: address) == nil {
      // Every listed sensor has its place already.
      guard case .any(let threshold) = allowed.unlisted, rssi >= threshold, sensors.count < AllowList.capacity
      else { return [] }
      insert(Sensor(address: address, since: now))
    }
    guard let sensor = index(of: address) else { return [] }
    noteDiscovery(of: sensor, on: adapter, at: now)
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].isKnown = true
    sensors[sensor].presences[position].isFresh = true
    sensors[sensor].presences[position].lastSeen = now
    sensors[sensor].presences[position].rssi = rssi
    var commands: [Command] = []
    switch sensors[sensor].phase {
    case .linked, .leaving: return []
    case .searching: break
    case .connecting(let attempt):
      // Where this adapter waits for a silent sensor that another one hears, the other one is nearer.
      guard attempt.adapter != adapter, !attempt.isAttentive, isUsable(adapter) else { return [] }
      cancel(attempt, of: sensor, at: now, &commands)
    }
    return reconcile(at: now, commands)
  }

  /// Learns from an advertisement what hears this sensor, and whether it was away.
  private mutating func noteDiscovery(of sensor: Int, on adapter: AdapterIndex, at now: BootInstant) {
    guard let position = adapterPosition(adapter), case .running(let kind, let since) = adapters[position].discovery
    else { return }
    adapters[position].discoveryRetry.reset()
    if kind == .heartRateService || sensors[sensor].foundBy == nil { sensors[sensor].foundBy = kind }
    let lastSeen = sensors[sensor].presences.compactMap(\.lastSeen).max() ?? since
    if sensors[sensor].waitsUnheard || now.duration(since: max(lastSeen, since)) >= parameters.absence {
      sensors[sensor].retry.reset()
      sensors[sensor].notBefore = nil
      sensors[sensor].waitsUnheard = false
    }
  }

  func isUsable(_ adapter: AdapterIndex) -> Bool {
    adapterPosition(adapter).map { adapters[$0].isPowered && adapters[$0].fullUntil == nil } ?? false
  }
}
