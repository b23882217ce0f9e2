extension ConnectionPlan {
  /// Handles a device object of BlueZ, whether the device advertises or not: at the start each object there is, later
  /// each one that is added, and again one whose `isShared` changes.
  ///
  /// `isShared`: other programs use the device too, a game controller with a heart-rate sensor for instance (it offers
  /// 1812, HID). The plan uses the device's links, but neither connects nor disconnects it.
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

  /// Handles the removal of BlueZ's object for this device, and with it of any link.
  public mutating func deviceForgotten(
    _ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    var commands: [Command] = []
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].isKnown = false
    sensors[sensor].presences[position].isFresh = false
    // Nothing is known of the device any more, its advertisements included: only a look at everything may hear it
    // again.
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

  /// Handles an advertisement. Costs next to nothing for a device that is not allowed or not missing.
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
      // An adapter that hears the sensor is nearer than the one that waits for it in silence.
      guard attempt.adapter != adapter, !attempt.isAttentive, isUsable(adapter) else { return [] }
      cancel(attempt, of: sensor, at: now, &commands)
    }
    return reconcile(at: now, commands)
  }

  /// Records which discovery hears this sensor, and whether the sensor was away.
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
