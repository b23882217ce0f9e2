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
