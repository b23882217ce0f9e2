extension SimulatedHost {
  mutating func adapterCall(_ call: Call, _ adapter: Int) {
    switch call.member {
    case "GetDiscoveryFilters": answer(call.token, .values([.strings(scenario.release.discoveryFilters)]))
    case "StartDiscovery": startDiscovery(call, adapter)
    case "StopDiscovery": stopDiscovery(call, adapter)
    case "SetDiscoveryFilter": setFilter(call, adapter)
    case "RemoveDevice": removeDevice(call, adapter)
    default: refuse(call)
    }
  }

  /// Schedules the removal of an unused device in 30 s.
  mutating func armExpiry(_ key: DeviceKey) {
    agenda.strike(self[key]?.expiry)
    self[key]?.expiry = nil
    guard let device = self[key], device.isTemporary, device.link == nil, device.connecting == nil else { return }
    let expiry = enter(.expire(key), in: Delay.expiry)
    self[key]?.expiry = expiry
  }

  /// Removes a device that was unused for too long, or that needs pairing and has no agent.
  mutating func expire(_ key: DeviceKey) {
    guard let device = self[key] else { return }
    if device.link != nil { abandon(key) } else if device.connecting == nil { removeObjects(key) }
  }

  private mutating func removeDevice(_ call: Call, _ adapter: Int) {
    guard case .objectPath(let path)? = call.arguments.first, case .device(let key)? = object(at: path),
      key.adapter == adapter, let device = self[key]
    else { return answer(call.token, .failure(.doesNotExist)) }
    if device.connecting != nil { forgetConnect(key) }
    straps[key.strap].isBonded = false
    guard let link = device.link else {
      removeObjects(key)
      return answer(call.token)
    }
    self[key]?.isBeingRemoved = true
    self[key]?.disconnecting.append(call.token)
    removeBattery(key)
    enter(AirEvent.endLink(key.strap, link: link, reason: 0x13), in: Delay.removal)
  }

  /// Removes a device's objects, the inner ones first. Its pending answers are dropped.
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

  /// Powers an adapter off: first its links end, then the property changes.
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

  /// Plugs an adapter in: a known one comes back, a new one gets the lowest free number.
  mutating func plug(_ address: String) {
    let adapter: Int
    if let known = adapters.firstIndex(where: { $0.address == address }) {
      guard !adapters[known].isPlugged else { return }
      adapter = known
    } else {
      adapters.append(SimulatedAdapter(address: address, index: adapters.count, isPlugged: false, isVisible: false))
      adapter = adapters.count - 1
    }
    adapters[adapter].isPlugged = true
    adapters[adapter].isPowered = false
    adapters[adapter].isStarting = true
    enter(DaemonEvent.adapterAppears(adapter), in: Delay.plug)
    enter(AirEvent.adapterPowered(adapter), in: Delay.plug + Delay.power)
  }

  /// Unplugs an adapter.
  mutating func unplug(_ address: String) {
    guard let adapter = adapters.firstIndex(where: { $0.address == address && $0.isPlugged }) else { return }
    adapters[adapter].isPlugged = false
    adapters[adapter].linking = nil
    for strap in straps.indices where straps[strap].link == adapter { endLink(strap, reason: 0x08, reports: false) }
    report(.adapterPulled(adapter))
  }

  /// bluetoothd loses an adapter: its devices go, then its power, then the adapter. The devices that were in use return
  /// with the adapter.
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
    withdrawAdapter(adapter)
    adapters[adapter].isVisible = false
    adapters[adapter].devices = kept.mapValues { $0.stored }
  }

  /// Signals that an adapter's object is gone.
  mutating func withdrawAdapter(_ adapter: Int) {
    withdraw(
      adapters[adapter].path, ["org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1", "org.bluez.GattManager1"])
  }

  /// An adapter that was plugged in has power: its object gets more interfaces, and properties change.
  mutating func adapterPowered(_ adapter: Int) {
    effects.append(.interfacesAdded(path: adapters[adapter].path, ["org.bluez.LEAdvertisingManager1": [:]]))
    change(adapter: adapter, ["Powered": .bool(true)])
    change(adapter: adapter, ["Alias": .string(adapters[adapter].alias)])
  }

  /// bluetoothd finds an adapter and the devices it has stored for it, without their GATT objects.
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

extension SimulatedDevice {
  /// The part of a device that is stored on disk: its name, keys and services, nothing of the link.
  var stored: SimulatedDevice {
    var stored = SimulatedDevice(alias: alias, uuids: uuids)
    stored.isPaired = isPaired
    stored.isTrusted = isTrusted
    stored.isBlocked = isBlocked
    stored.isTemporary = false
    stored.wasEverConnected = wasEverConnected
    return stored
  }
}
