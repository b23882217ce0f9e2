extension SimulatedHost {
  mutating func startDiscovery(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard !adapters[adapter].sessions.contains(where: { $0.sender == call.sender }) else {
      return answer(call.token, .failure(.busy))
    }
    guard !adapters[adapter].isDiscoveryStuck else { return answer(call.token, .failure(.busy)) }
    let isFirst = adapters[adapter].sessions.isEmpty || adapters[adapter].isDiscoveryHalted
    adapters[adapter].isDiscoveryHalted = false
    if isFirst { adapters[adapter].heard = [] }
    adapters[adapter].sessions.append(
      Adapter.DiscoverySession(sender: call.sender, filter: adapters[adapter].filters[call.sender]))
    answer(call.token)
    if isFirst { change(adapter: adapter, ["Discovering": .bool(true)]) }
    for strap in straps.indices { enterAdvertisement(strap) }
  }

  mutating func stopDiscovery(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard adapters[adapter].sessions.contains(where: { $0.sender == call.sender }) else {
      return answer(call.token, .failure(.failed("No discovery started")))
    }
    endDiscovery(adapter, of: call.sender)
    answer(call.token)
  }

  /// Ends a client's discovery. After the last one the signal strengths are unknown.
  mutating func endDiscovery(_ adapter: Int, of sender: String) {
    adapters[adapter].sessions.removeAll { $0.sender == sender }
    guard adapters[adapter].sessions.isEmpty else { return }
    for strap in adapters[adapter].devices.keys.sorted() {
      let key = DeviceKey(adapter: adapter, strap: strap)
      guard self[key]?.rssi != nil else { continue }
      self[key]?.rssi = nil
      change(key, [:], invalidated: ["RSSI"])
    }
    if !adapters[adapter].isDiscoveryHalted { change(adapter: adapter, ["Discovering": .bool(false)]) }
    adapters[adapter].isDiscoveryHalted = false
  }

  /// Stops discovery and signals it to everybody.
  mutating func haltDiscovery(_ adapter: Int) {
    guard !adapters[adapter].sessions.isEmpty, !adapters[adapter].isDiscoveryHalted else { return }
    adapters[adapter].isDiscoveryHalted = true
    change(adapter: adapter, ["Discovering": .bool(false)])
  }

  mutating func setFilter(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard case .dictionary(let options)? = call.arguments.first,
      let filter = DiscoveryFilter(options, release: scenario.release)
    else {
      return answer(call.token, .failure(.invalidArguments))
    }
    adapters[adapter].filters[call.sender] = options.isEmpty ? nil : filter
    if let running = adapters[adapter].sessions.firstIndex(where: { $0.sender == call.sender }) {
      adapters[adapter].sessions[running] = Adapter.DiscoverySession(
        sender: call.sender, filter: options.isEmpty ? nil : filter)
    }
    answer(call.token)
  }

  /// Logs a client's call: its member, and the services that a filter names.
  mutating func logCall(_ call: Call) {
    guard call.sender != Self.otherClient else { return }
    var services = ""
    if case .dictionary(let options)? = call.arguments.first, case .strings(let uuids)? = options["UUIDs"] {
      services = uuids.joined(separator: " ")
    }
    log("call", nil, ["member": .string(call.member), "uuids": .string(services)])
  }

  /// An advertisement is received while a discovery runs.
  mutating func hear(_ key: DeviceKey) {
    let adapter = adapters[key.adapter]
    let strap = straps[key.strap]
    guard adapter.isPowered, adapter.isVisible, !adapter.sessions.isEmpty, !adapter.isDiscoveryStuck,
      !adapter.isDiscoveryHalted
    else { return }
    if scenario.filtersDuplicates, !adapters[key.adapter].heard.insert(key.strap).inserted { return }
    if scenario.diesOfServiceFilters, adapter.sessions.contains(where: { $0.filter?.uuids.isEmpty == false }) {
      log("event", nil, ["kind": .string("died")])
      signal(.kill)
      enter(AirEvent.daemonStart, in: Delay.restart)
      return
    }
    let interested = adapter.sessions.filter { $0.filter?.wants(strap, device: self[key]) ?? true }
    guard !interested.isEmpty else { return }
    guard let device = self[key] else {
      let uuids = strap.profile.advertisedServices.map(GATTLayout.uuid)
      self[key] = Device(alias: strap.profile.name, uuids: uuids, rssi: strap.rssi)
      announce(path(key), .device(key))
      return armExpiry(key)
    }
    let filtered = interested.contains { $0.filter != nil }
    var changed: Properties = [:]
    if filtered || device.rssi == nil || abs(Int(device.rssi ?? 0) - Int(strap.rssi)) >= 8 {
      changed["RSSI"] = .int16(strap.rssi)
    }
    self[key]?.rssi = strap.rssi
    if interested.contains(where: { $0.filter?.reportsDuplicates == true }),
      let data = manufacturerData(strap.profile)
    {
      changed["ManufacturerData"] = data
    }
    if !changed.isEmpty { change(key, changed) }
    armExpiry(key)
  }
}
