extension SimulatedHost {
  /// Handles a method call to bluetoothd.
  mutating func call(_ call: Call) {
    logCall(call)
    guard let object = object(at: call.path) else {
      return answer(call.token, .failure(.unknown(call, objectExists: false)))
    }
    switch (call.interface, call.member) {
    case ("org.freedesktop.DBus.Properties", _) where !isRoot(object): propertiesCall(call, object)
    case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") where isRoot(object):
      answer(call.token, .values([.objects(managedObjects())]))
    default: objectCall(call, object)
    }
  }

  private func isRoot(_ object: Object) -> Bool {
    if case .root = object { true } else { false }
  }

  private mutating func objectCall(_ call: Call, _ object: Object) {
    switch object {
    case .daemon where call.interface == "org.bluez.AgentManager1": agentCall(call)
    case .adapter(let adapter) where call.interface == "org.bluez.Adapter1": adapterCall(call, adapter)
    case .device(let key) where call.interface == "org.bluez.Device1": deviceCall(call, key)
    case .characteristic(let key, let characteristic) where call.interface == "org.bluez.GattCharacteristic1":
      characteristicCall(call, key, characteristic)
    case .descriptor(let key, let characteristic)
    where call.interface == "org.bluez.GattDescriptor1" && call.member == "ReadValue":
      read(call, key, handle: characteristic.handle, isDescriptor: true)
    default: refuse(call)
    }
  }

  /// Answers that there is no such method.
  mutating func refuse(_ call: Call) {
    answer(call.token, .failure(.unknown(call, objectExists: true)))
  }

  private mutating func deviceCall(_ call: Call, _ key: DeviceKey) {
    switch call.member {
    case "Connect": connect(call, key)
    case "Disconnect": disconnect(call, key)
    case "Pair": pair(call, key)
    case "CancelPairing": cancelPairing(call, key)
    default: refuse(call)
    }
  }

  private mutating func characteristicCall(_ call: Call, _ key: DeviceKey, _ characteristic: GATTLayout.Characteristic)
  {
    switch call.member {
    case "StartNotify": startNotify(call, key, characteristic)
    case "StopNotify": stopNotify(call, key, characteristic)
    case "AcquireNotify": acquireNotify(call, key, characteristic)
    case "ReadValue": read(call, key, handle: characteristic.handle, isDescriptor: false)
    case "WriteValue": write(call, key, characteristic)
    default: refuse(call)
    }
  }

  private mutating func propertiesCall(_ call: Call, _ object: Object) {
    guard case .string(let interface)? = call.arguments.first else {
      return answer(call.token, .failure(.invalidArgs("No arguments given")))
    }
    guard let properties = interfaces(of: object)[interface] else {
      return answer(call.token, .failure(.invalidArgs("No such interface '\(interface)'")))
    }
    if call.member == "GetAll" { return answer(call.token, .values([.dictionary(properties)])) }
    guard call.arguments.count >= 2, case .string(let name) = call.arguments[1] else { return refuse(call) }
    guard let value = properties[name] else {
      return answer(call.token, .failure(.invalidArgs("No such property '\(name)'")))
    }
    switch call.member {
    case "Get": answer(call.token, .values([.variant(value)]))
    case "Set" where call.arguments.count == 3: set(call, object, name, call.arguments[2])
    default: refuse(call)
    }
  }

  private mutating func set(_ call: Call, _ object: Object, _ name: String, _ value: Property) {
    switch (object, name, value) {
    case (.adapter(let adapter), "Powered", .bool(let on)): setPower(call, adapter, on: on)
    case (.adapter(let adapter), "Alias", .string(let alias)):
      adapters[adapter].alias = alias
      answer(call.token)
      change(adapter: adapter, ["Alias": value])
    case (.device(let key), "Alias", .string(let alias)):
      self[key]?.alias = alias
      answerSet(call, key, name, value)
    case (.device(let key), "Trusted", .bool(let trusted)):
      self[key]?.isTrusted = trusted
      answerSet(call, key, name, value)
    case (.device(let key), "Blocked", .bool(let blocked)):
      self[key]?.isBlocked = blocked
      answerSet(call, key, name, value)
    case (_, "Powered", _), (_, "Alias", _), (_, "Trusted", _), (_, "Blocked", _):
      answer(call.token, .failure(.invalidArgs("Invalid argument type")))
    default:
      answer(
        call.token,
        .failure(
          BusError(
            name: "org.freedesktop.DBus.Error.PropertyReadOnly", text: "Property '\(name)' is not writable")))
    }
  }

  private mutating func answerSet(_ call: Call, _ key: DeviceKey, _ name: String, _ value: Property) {
    answer(call.token)
    change(key, [name: value])
  }

  /// A client left the bus: its requests end, but links that it made stay.
  mutating func clientLeft(_ sender: String) {
    for adapter in adapters.indices {
      adapters[adapter].filters[sender] = nil
      if adapters[adapter].sessions.contains(where: { $0.sender == sender }) {
        endDiscovery(adapter, of: sender)
      }
      for strap in adapters[adapter].devices.keys.sorted() {
        let key = DeviceKey(adapter: adapter, strap: strap)
        for handle in (self[key]?.subscriptions.keys).map({ $0.sorted() }) ?? [] {
          endSubscription(key, handle: handle, of: sender)
        }
      }
    }
    removeAgents(of: sender, path: nil)
  }
}

extension SimulatedHost {
  /// ReadValue of a characteristic or of its configuration.
  mutating func read(_ call: Call, _ key: DeviceKey, handle: UInt16, isDescriptor: Bool) {
    guard let link = self[key]?.link else { return answer(call.token, .failure(.failed("Not connected"))) }
    enter(
      DaemonEvent.readReply(key, link: link, handle: handle, isDescriptor: isDescriptor, call.token), in: Delay.exchange
    )
  }

  mutating func readReply(_ key: DeviceKey, link: Int, handle: UInt16, isDescriptor: Bool, _ token: CallToken) {
    guard let device = self[key], device.link == link, let path = path(key, handle: handle),
      let characteristic = device.layout?.characteristic(at: handle)
    else { return answer(token, .failure(.failed("Operation failed with ATT error: 0x0e"))) }
    if isDescriptor {
      let isOn = straps[key.strap].subscriptions.contains(characteristic.uuid)
      let value: [UInt8] = isOn ? [characteristic.flags.contains("indicate") ? 2 : 1, 0] : [0, 0]
      let descriptor = children(of: key).first { $0.path.hasPrefix(path + "/desc") }?.path ?? path
      effects.append(
        .propertiesChanged(
          path: descriptor, interface: "org.bluez.GattDescriptor1", ["Value": .bytes(value)], invalidated: []))
      return answer(token, .values([.bytes(value)]))
    }
    guard let value = straps[key.strap].value(of: characteristic.uuid) else {
      return answer(token, .failure(.notPermitted("Read not permitted")))
    }
    self[key]?.values[handle] = value
    change(key, handle: handle, ["Value": .bytes(value)])
    answer(token, .values([.bytes(value)]))
  }

  /// WriteValue.
  mutating func write(_ call: Call, _ key: DeviceKey, _ characteristic: GATTLayout.Characteristic) {
    guard let link = self[key]?.link else { return answer(call.token, .failure(.failed("Not connected"))) }
    guard case .bytes(let bytes)? = call.arguments.first else {
      return answer(call.token, .failure(.invalidArguments))
    }
    guard characteristic.flags.contains("write") else { return answer(call.token, .failure(.notSupported)) }
    enter(
      DaemonEvent.writeReply(key, link: link, handle: characteristic.handle, bytes, call.token), in: Delay.exchange)
  }

  mutating func writeReply(_ key: DeviceKey, link: Int, handle: UInt16, _ bytes: [UInt8], _ token: CallToken) {
    guard let device = self[key], device.link == link, let characteristic = device.layout?.characteristic(at: handle)
    else { return answer(token, .failure(.failed("Operation failed with ATT error: 0x0e"))) }
    if characteristic.uuid == GATTLayout.uuid(0x2A39) {
      log("control_point", key.strap, ["hex": .string(bytes.hex)])
      // Heart Rate Service 1.0, section 3.3.1: any value but 0x01 is refused with Control Point Not Supported.
      guard bytes == [1] else { return answer(token, .failure(.failed("Operation failed with ATT error: 0x80"))) }
      straps[key.strap].heart?.resetEnergy()
    }
    answer(token)
  }
}
