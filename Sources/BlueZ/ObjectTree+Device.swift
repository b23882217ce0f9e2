internal import DBus

extension ObjectTree {
  mutating func updateDevice(_ path: DevicePath, _ properties: DictionaryValue) -> [Change] {
    guard var device = devices[path] else { return [] }
    var changes: [Change] = []
    let before = device
    for entry in properties.entries {
      let value = entry.value.unwrapped
      switch entry.key.string {
      case "Address": device.address = value.string.flatMap { DeviceAddress($0) } ?? device.address
      case "AddressType": device.addressType = value.string.flatMap(Device.AddressType.init)
      case "Name": device.name = value.string
      case "UUIDs": device.services = value.strings?.compactMap { BluetoothUUID($0) } ?? []
      case "Paired": device.isPaired = value.boolean ?? device.isPaired
      case "RSSI":
        guard let rssi = value.int16 else { continue }
        device.rssi = rssi
        changes.append(.deviceSeen(path))
      case "Connected":
        guard let flag = value.boolean else { continue }
        if flag != device.isConnected || !flag { changes.append(flag ? .connected(path) : .disconnected(path)) }
        device.isConnected = flag
      case "ServicesResolved":
        guard let flag = value.boolean, flag != device.servicesResolved else { continue }
        device.servicesResolved = flag
        changes.append(flag ? .servicesResolved(path) : .servicesLost(path))
      default: continue
      }
    }
    devices[path] = device
    // What was known of it was known of another address.
    let renamed: [Change] = before.address == device.address ? [] : [.deviceRemoved(before)]
    return isSame(before, device) ? changes : renamed + [.deviceChanged(path)] + changes
  }

  /// Forgets properties of which BlueZ only said that they are not valid any more, known ones or not.
  mutating func invalidate(_ properties: [String], of path: DevicePath) -> [Change] {
    guard var device = devices[path] else { return [] }
    let before = device
    for property in properties {
      switch property {
      case "RSSI": device.rssi = nil
      case "Name": device.name = nil
      case "UUIDs": device.services = []
      default: continue
      }
    }
    devices[path] = device
    return isSame(before, device) ? [] : [.deviceChanged(path)]
  }

  /// Equal but for what changes with every advertisement.
  private func isSame(_ first: Device, _ second: Device) -> Bool {
    var second = second
    second.rssi = first.rssi
    return first == second
  }
}
