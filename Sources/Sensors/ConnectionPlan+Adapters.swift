extension ConnectionPlan {
  /// Handles an adapter that is new, was switched on or off, or whose filters are known now. After it was switched on,
  /// the sensors that BlueZ knows on it are tried at once.
  ///
  /// Not before: a Connect on an adapter that is not powered yet pends for 40 s although the sensor advertises.
  ///
  /// `filtersServices`: a discovery may be restricted to the Heart Rate Service; nil while that is not known. Until then there
  /// is no discovery.
  public mutating func adapterChanged(
    _ index: AdapterIndex, isPowered: Bool, filtersServices: Bool?, at now: BootInstant
  ) -> [Command] {
    var commands: [Command] = []
    let adapter = Adapter(index: index, isPowered: isPowered, filtersServices: filtersServices)
    if let position = adapterPosition(index) {
      let before = adapters[position]
      adapters[position].filtersServices = filtersServices
      guard before.isPowered != isPowered else {
        return before.filtersServices == filtersServices ? [] : reconcile(at: now, [])
      }
      adapters[position] = adapter
    } else {
      let position = adapters.firstIndex { $0.index > index } ?? adapters.endIndex
      adapters.insert(adapter, at: position)
    }
    if isPowered {
      for sensor in sensors.indices
      where sensors[sensor].presences.contains(where: { $0.adapter == index && $0.isKnown }) {
        beEager(sensor)
      }
    } else {
      endEverything(on: index, at: now, &commands)
    }
    return reconcile(at: now, commands)
  }

  /// Handles an adapter that was pulled out, with all links and devices on it.
  public mutating func adapterRemoved(_ index: AdapterIndex, at now: BootInstant) -> [Command] {
    var commands: [Command] = []
    adapters.removeAll { $0.index == index }
    endEverything(on: index, at: now, &commands)
    for sensor in sensors.indices {
      sensors[sensor].presences.removeAll { $0.adapter == index }
    }
    return reconcile(at: now, commands)
  }

  /// Handles the end of bluetoothd, or of the bus, with all that it knew. When bluetoothd is back, adapters and devices
  /// are reported as if they were new. `isDeath`: bluetoothd ended without having removed its adapters first.
  public mutating func serviceLost(isDeath: Bool, at now: BootInstant) -> [Command] {
    let verdict = isDeath ? fatalCalls.died(at: now) : nil
    var commands: [Command] = []
    for adapter in adapters {
      commands += adapterRemoved(adapter.index, at: now)
    }
    // Without bluetoothd, commands that followed from one adapter's end on another cannot be carried out. Values that
    // are not wanted any more are not wanted from the next bluetoothd either.
    commands.removeAll { if case .unfollow = $0 { false } else { true } }
    for sensor in sensors.indices {
      sensors[sensor].retry.reset()
      sensors[sensor].notBefore = nil
    }
    return reconcile(at: now, commands) + (verdict.map { [.blame($0)] } ?? [])
  }

  /// Handles a discovery that did not start, or ended although it was not stopped (BlueZ can be stuck with
  /// `InProgress`).
  ///
  /// The discovery is tried again later. Until then the plan tries the sensors that BlueZ knows without having heard
  /// them.
  public mutating func discoveryEnded(on index: AdapterIndex, at now: BootInstant) -> [Command] {
    guard let position = adapterPosition(index), case .running = adapters[position].discovery else { return [] }
    let wait = adapters[position].discoveryRetry.next(
      first: parameters.discoveryRetry, longest: parameters.longestDiscoveryRetry, using: &random)
    adapters[position].discovery = .failed(until: now.advanced(by: wait))
    for sensor in sensors.indices where sensors[sensor].presences.contains(where: { $0.adapter == index && $0.isKnown })
    {
      sensors[sensor].isEager = true
    }
    return reconcile(at: now, [])
  }

  private mutating func endEverything(on adapter: AdapterIndex, at now: BootInstant, _ commands: inout [Command]) {
    for sensor in sensors.indices.reversed() {
      if case .connecting(let attempt) = sensors[sensor].phase, attempt.adapter == adapter {
        enter(.searching(notBefore: nil), sensor, at: now)
      }
      if let position = sensors[sensor].presences.firstIndex(where: { $0.adapter == adapter }) {
        sensors[sensor].presences[position].call = nil
        sensors[sensor].presences[position].isFresh = false
      }
      loseLink(sensor, on: adapter, at: now, &commands)
      removeIfDone(sensor)
    }
  }

  /// Makes a sensor worth an attempt now, whatever happened before.
  mutating func beEager(_ sensor: Int) {
    sensors[sensor].isEager = true
    sensors[sensor].notBefore = nil
    sensors[sensor].retry.reset()
  }
}
