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
      SimulatedAdapter.DiscoverySession(sender: call.sender, filter: adapters[adapter].filters[call.sender]))
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
      adapters[adapter].sessions[running] = SimulatedAdapter.DiscoverySession(
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
      self[key] = SimulatedDevice(alias: strap.profile.name, uuids: uuids, rssi: strap.rssi)
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

/// The devices that a client wants reported while it discovers.
struct DiscoveryFilter: Hashable, Sendable {
  /// Full UUIDs; empty means any.
  var uuids: Set<String> = []
  var minimumRSSI: Int16?
  var pathloss: UInt16?
  var reportsDuplicates = false
  /// The beginning of a name or address.
  var pattern: String?
}

extension DiscoveryFilter {
  /// Decodes the argument of SetDiscoveryFilter; nil where BlueZ of this release rejects it.
  init?(_ options: Properties, release: BlueZRelease) {
    self.init()
    for (name, value) in options {
      guard release.discoveryFilters.contains(name) else { return nil }
      switch (name, value) {
      case ("UUIDs", .strings(let uuids)):
        for uuid in uuids {
          guard let full = Self.full(uuid) else { return nil }
          self.uuids.insert(full)
        }
      case ("RSSI", .int16(let rssi)): minimumRSSI = rssi
      case ("Pathloss", .uint16(let loss)): pathloss = loss
      case ("Transport", .string(let transport)):
        guard ["auto", "bredr", "le"].contains(transport) else { return nil }
      case ("DuplicateData", .bool(let duplicates)): reportsDuplicates = duplicates
      case ("Discoverable", .bool), ("AutoConnect", .bool): break
      case ("Pattern", .string(let pattern)): self.pattern = pattern
      default: return nil
      }
    }
    if minimumRSSI != nil, pathloss != nil { return nil }
  }

  /// The full form of a 16, 32 or 128 bit UUID; nil for anything else.
  private static func full(_ text: String) -> String? {
    let text = text.lowercased()
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    let isHex = digits.utf8.allSatisfy {
      ("0"..."9").contains(Character(UnicodeScalar($0))) || ("a"..."f").contains(Character(UnicodeScalar($0)))
    }
    switch digits.utf8.count {
    case 4 where isHex: return "0000\(digits)-0000-1000-8000-00805f9b34fb"
    case 8 where isHex: return "\(digits)-0000-1000-8000-00805f9b34fb"
    case 36:
      let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
        groups.joined().utf8.allSatisfy({ UInt8(String(UnicodeScalar($0)), radix: 16) != nil })
      else { return nil }
      return digits
    default: return nil
    }
  }

  /// Whether the filter lets a strap through.
  func wants(_ strap: Strap, device: SimulatedDevice?) -> Bool {
    if let minimumRSSI, strap.rssi < minimumRSSI { return false }
    if let pattern, !strap.profile.name.hasPrefix(pattern), !strap.address.hasPrefix(pattern) { return false }
    guard !uuids.isEmpty else { return true }
    return strap.profile.advertisedServices.contains { uuids.contains(GATTLayout.uuid($0)) }
  }
}
