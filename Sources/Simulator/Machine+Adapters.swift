extension Machine {
  mutating func adapterCall(_ call: Call, _ adapter: Int) {
    switch call.member {
    case "StartDiscovery": startDiscovery(call, adapter)
    case "StopDiscovery": stopDiscovery(call, adapter)
    case "SetDiscoveryFilter": setFilter(call, adapter)
    case "RemoveDevice": removeDevice(call, adapter)
    default: refuse(call)
    }
  }

  private mutating func startDiscovery(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard !adapters[adapter].sessions.contains(where: { $0.sender == call.sender }) else {
      return answer(call.token, .failure(.busy))
    }
    let isFirst = adapters[adapter].sessions.isEmpty
    adapters[adapter].sessions.append(
      Adapter.DiscoverySession(sender: call.sender, filter: adapters[adapter].filters[call.sender]))
    answer(call.token)
    if isFirst { change(adapter: adapter, ["Discovering": .bool(true)]) }
    for strap in straps.indices { enterAdvertisement(strap) }
  }

  private mutating func stopDiscovery(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard adapters[adapter].sessions.contains(where: { $0.sender == call.sender }) else {
      return answer(call.token, .failure(.failed("No discovery started")))
    }
    endDiscovery(adapter, of: call.sender)
    answer(call.token)
  }

  /// Ends a client's discovery; after the last one the signal strengths are unknown.
  mutating func endDiscovery(_ adapter: Int, of sender: String) {
    adapters[adapter].sessions.removeAll { $0.sender == sender }
    guard adapters[adapter].sessions.isEmpty else { return }
    for strap in adapters[adapter].devices.keys.sorted() {
      let key = DeviceKey(adapter: adapter, strap: strap)
      guard self[key]?.rssi != nil else { continue }
      self[key]?.rssi = nil
      change(key, [:], invalidated: ["RSSI"])
    }
    change(adapter: adapter, ["Discovering": .bool(false)])
  }

  private mutating func setFilter(_ call: Call, _ adapter: Int) {
    guard adapters[adapter].isPowered else { return answer(call.token, .failure(.notReady)) }
    guard case .dictionary(let options)? = call.arguments.first, let filter = DiscoveryFilter(options) else {
      return answer(call.token, .failure(.invalidArguments))
    }
    adapters[adapter].filters[call.sender] = options.isEmpty ? nil : filter
    if let running = adapters[adapter].sessions.firstIndex(where: { $0.sender == call.sender }) {
      adapters[adapter].sessions[running] = Adapter.DiscoverySession(
        sender: call.sender, filter: options.isEmpty ? nil : filter)
    }
    answer(call.token)
  }

  /// An advertisement is heard while somebody discovers.
  mutating func hear(_ key: DeviceKey) {
    let adapter = adapters[key.adapter]
    let strap = straps[key.strap]
    guard adapter.isPowered, adapter.isVisible, !adapter.sessions.isEmpty else { return }
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

  /// A device that is not in use goes 30 s from now.
  mutating func armExpiry(_ key: DeviceKey) {
    agenda.strike(self[key]?.expiry)
    self[key]?.expiry = nil
    guard let device = self[key], device.isTemporary, device.link == nil, device.connecting == nil else { return }
    let expiry = enter(.expire(key), in: Delay.expiry)
    self[key]?.expiry = expiry
  }

  /// The device has been of no use for too long, or wants to be paired and nobody can.
  mutating func expire(_ key: DeviceKey) {
    guard let device = self[key] else { return }
    if device.link != nil { abandon(key) } else if device.connecting == nil { removeObjects(key) }
  }

  private mutating func removeDevice(_ call: Call, _ adapter: Int) {
    guard case .objectPath(let path)? = call.arguments.first, case .device(let key)? = object(at: path),
      key.adapter == adapter, let device = self[key]
    else { return answer(call.token, .failure(.doesNotExist)) }
    if device.connecting != nil { cancelConnect(key, .canceled) }
    guard let link = device.link else {
      removeObjects(key)
      return answer(call.token)
    }
    self[key]?.isBeingRemoved = true
    self[key]?.disconnecting.append(call.token)
    removeBattery(key)
    enter(AirEvent.endLink(key.strap, link: link, reason: 0x13), in: Delay.removal)
  }

  /// Removes a device's objects, the inner ones first; what it was about to answer is cut off.
  mutating func removeObjects(_ key: DeviceKey) {
    guard let device = self[key] else { return }
    agenda.strike(device.expiry)
    agenda.strike(device.connectTimeout)
    for service in device.layout?.exported ?? [] { withdraw(key, service) }
    withdraw(path(key), ["org.bluez.Device1"] + (device.hasBattery ? ["org.bluez.Battery1"] : []))
    for subscription in device.subscriptions.values {
      if let pipe = subscription.pipe { effects.append(.close(pipe)) }
    }
    self[key] = nil
    cancelAttempt(key)
  }

  mutating func setPower(_ call: Call, _ adapter: Int, on: Bool) {
    answer(call.token)
    guard adapters[adapter].isPowered != on else { return }
    if on {
      adapters[adapter].isPowered = true
      change(adapter: adapter, ["Powered": .bool(true)])
    } else {
      powerOff(adapter)
    }
  }

  /// The adapter loses its power: links first, then the property.
  mutating func powerOff(_ adapter: Int) {
    adapters[adapter].isPowered = false
    adapters[adapter].linking = nil
    for strap in adapters[adapter].devices.keys.sorted() {
      let key = DeviceKey(adapter: adapter, strap: strap)
      if self[key]?.connecting != nil, self[key]?.link == nil { cancelConnect(key, .aborted) }
    }
    for strap in straps.indices where straps[strap].link == adapter { endLink(strap, reason: 0x15) }
    adapters[adapter].sessions = []
    adapters[adapter].filters = [:]
    change(adapter: adapter, ["Powered": .bool(false), "Discovering": .bool(false)])
  }

  /// An adapter is pushed in: a known one comes back, another one gets the lowest free number.
  mutating func plug(_ address: String) {
    let adapter: Int
    if let known = adapters.firstIndex(where: { $0.address == address }) {
      guard !adapters[known].isPlugged else { return }
      adapter = known
    } else {
      adapters.append(Adapter(address: address, index: adapters.count, isPlugged: false, isVisible: false))
      adapter = adapters.count - 1
    }
    adapters[adapter].isPlugged = true
    adapters[adapter].isPowered = false
    adapters[adapter].isStarting = true
    enter(DaemonEvent.adapterAppears(adapter), in: Delay.plug)
    enter(AirEvent.adapterPowered(adapter), in: Delay.plug + Delay.power)
  }

  /// An adapter is pulled out.
  mutating func unplug(_ address: String) {
    guard let adapter = adapters.firstIndex(where: { $0.address == address && $0.isPlugged }) else { return }
    adapters[adapter].isPlugged = false
    adapters[adapter].linking = nil
    for strap in straps.indices where straps[strap].link == adapter { endLink(strap, reason: 0x08, tells: false) }
    tell(.adapterPulled(adapter))
  }

  /// The devices go, then the power, then the adapter; what was used comes back with it.
  mutating func adapterPulled(_ adapter: Int) {
    guard adapters[adapter].isVisible else { return }
    let kept = adapters[adapter].devices.filter { $0.value.wasEverConnected }
    for strap in adapters[adapter].devices.keys.sorted() {
      let key = DeviceKey(adapter: adapter, strap: strap)
      if self[key]?.connecting != nil { cancelConnect(key, .aborted) }
      showDisconnected(key)
      removeObjects(key)
    }
    adapters[adapter].isPowered = false
    adapters[adapter].isStarting = false
    adapters[adapter].sessions = []
    adapters[adapter].filters = [:]
    change(adapter: adapter, ["Powered": .bool(false), "Discovering": .bool(false)])
    withdraw(adapters[adapter].path, ["org.bluez.Adapter1"])
    adapters[adapter].isVisible = false
    adapters[adapter].devices = kept.mapValues { $0.stored }
  }

  /// bluetoothd finds an adapter, and the devices it keeps for it, without their GATT objects.
  mutating func adapterAppears(_ adapter: Int) {
    guard adapters[adapter].isPlugged, !adapters[adapter].isVisible else { return }
    adapters[adapter].isVisible = true
    announce(adapters[adapter].path, .adapter(adapter))
    for strap in adapters[adapter].devices.keys.sorted() {
      let key = DeviceKey(adapter: adapter, strap: strap)
      if straps[strap].link == adapter {
        let link = straps[strap].linkNumber
        self[key]?.link = link
        self[key]?.isConnected = true
      }
      announce(path(key), .device(key))
    }
  }
}

extension Device {
  /// What is on disk of a device: its name, keys and services, nothing of the link.
  var stored: Device {
    var stored = Device(alias: alias, uuids: uuids)
    stored.isPaired = isPaired
    stored.isTrusted = isTrusted
    stored.isBlocked = isBlocked
    stored.isTemporary = false
    stored.wasEverConnected = wasEverConnected
    return stored
  }
}

extension DiscoveryFilter {
  /// Reads the argument of SetDiscoveryFilter; nil where BlueZ calls it invalid.
  init?(_ options: Properties) {
    self.init()
    for (name, value) in options {
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
      case ("Discoverable", .bool): break
      case ("Pattern", .string(let pattern)): self.pattern = pattern
      default: return nil
      }
    }
    if minimumRSSI != nil, pathloss != nil { return nil }
  }

  /// A 16, 32 or 128 bit identifier in its full form; nil for junk.
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

  /// Whether the client wants to hear of a strap.
  func wants(_ strap: Strap, device: Device?) -> Bool {
    if let minimumRSSI, strap.rssi < minimumRSSI { return false }
    if let pattern, !strap.profile.name.hasPrefix(pattern), !strap.address.hasPrefix(pattern) { return false }
    guard !uuids.isEmpty else { return true }
    return strap.profile.advertisedServices.contains { uuids.contains(GATTLayout.uuid($0)) }
  }
}
