import DBus

/// A copy of what bluetoothd exports, kept up to date by its signals.
///
/// A value and pure: `message → [change]`. The copy is complete before a change is returned, so whoever reads it after a
/// change finds it in there. Nothing is mirrored between a change of the name's owner and the reply to
/// GetManagedObjects, which, as signals and replies keep their order, contains all that was signalled before it.
struct ObjectTree: Sendable {
  /// A change that a message made.
  enum Change: Hashable, Sendable {
    /// bluetoothd is there; ``ObjectTree/load(_:)`` has to follow.
    case ownerAppeared
    /// bluetoothd is gone and everything with it.
    case ownerVanished
    /// An adapter appeared or changed.
    case adapterChanged(AdapterPath)
    case adapterRemoved(Adapter)
    /// Nobody's discovery runs on it any more.
    case discoveryEnded(AdapterPath)
    /// A device appeared, or something other than its signal strength changed.
    case deviceChanged(DevicePath)
    /// Its advertisement was heard.
    case deviceSeen(DevicePath)
    /// The device is gone; or its address has changed, and the value describes the device with the earlier one.
    case deviceRemoved(Device)
    case connected(DevicePath)
    /// `Connected: false`, also where it was false before: a link that broke at once has no `true`.
    case disconnected(DevicePath)
    case disconnectReason(DevicePath, DisconnectReason)
    case servicesResolved(DevicePath)
    /// The services are not valid any more: the link is about to end, or has.
    case servicesLost(DevicePath)
    case battery(DevicePath, percent: UInt8)
    case characteristicAdded(CharacteristicPath)
    case characteristicRemoved(CharacteristicPath)
    /// The set of subscribers has changed.
    case subscriberChanged(CharacteristicPath)
    /// A value was emitted, for a notification or because some program read it.
    case value(CharacteristicPath, [UInt8])
  }

  /// The unique name of bluetoothd on the bus; nil while it does not run.
  private(set) var owner: String?
  /// Whether the objects are those of `owner`.
  private(set) var isLoaded = false
  var adapters: [AdapterPath: Adapter] = [:]
  var devices: [DevicePath: Device] = [:]
  var characteristics: [DevicePath: [CharacteristicPath: Characteristic]] = [:]

  /// The first characteristic of `device` with this UUID, in the order of the handles.
  func characteristic(_ uuid: BluetoothUUID, of device: DevicePath) -> Characteristic? {
    characteristics[device]?.values.filter { $0.uuid == uuid }.min { $0.path < $1.path }
  }

  /// The device with this address as `adapter` knows it.
  func device(_ address: DeviceAddress, on adapter: AdapterPath) -> Device? {
    if let path = DevicePath(address, on: adapter), let device = devices[path], device.address == address {
      return device
    }
    // A bonded device keeps the path of the changing address under which it was met.
    return devices.values.first { $0.address == address && $0.path.adapter == adapter }
  }

  /// Takes note of who owns `org.bluez`, as the bus answered.
  mutating func setOwner(_ name: String?) -> [Change] {
    guard name != owner else { return [] }
    var changes: [Change] = []
    if owner != nil {
      changes.append(.ownerVanished)
      isLoaded = false
      adapters = [:]
      devices = [:]
      characteristics = [:]
    }
    owner = name
    if name != nil { changes.append(.ownerAppeared) }
    return changes
  }

  /// Takes over the reply to GetManagedObjects; one from an earlier owner is ignored.
  mutating func load(_ reply: Message) -> [Change] {
    guard let owner, reply.sender == owner, let objects = reply.body.first?.dictionary else { return [] }
    isLoaded = true
    var changes: [Change] = []
    for object in objects.entries {
      guard let path = object.key.objectPath, let interfaces = object.value.dictionary else { continue }
      changes += add(interfaces, to: path, isAdvertisement: false)
    }
    // The objects come in no order; an adapter is known before its devices.
    let isAdapter = { (change: Change) in if case .adapterChanged = change { true } else { false } }
    return changes.filter(isAdapter) + changes.filter { !isAdapter($0) }
  }

  /// Takes over the answer to GetDiscoveryFilters.
  mutating func setFiltersServices(_ flag: Bool, of adapter: AdapterPath) -> [Change] {
    guard adapters[adapter] != nil, adapters[adapter]?.filtersServices != flag else { return [] }
    adapters[adapter]?.filtersServices = flag
    return [.adapterChanged(adapter)]
  }

  /// Applies a signal. Those that are not from bluetoothd or the bus, and those about unknown objects, are ignored.
  mutating func apply(_ signal: Message) -> [Change] {
    guard signal.kind == .signal, let interface = signal.interface, let member = signal.member else { return [] }
    if interface == "org.freedesktop.DBus" {
      guard signal.sender == interface, member == "NameOwnerChanged", signal.body.count == 3,
        signal.body[0].string == "org.bluez", let new = signal.body[2].string
      else { return [] }
      return setOwner(new.isEmpty ? nil : new)
    }
    guard isLoaded, signal.sender == owner else { return [] }
    switch (interface, member) {
    case ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
      guard let path = signal.path, signal.body.count == 3, let changed = signal.body[0].string,
        let properties = signal.body[1].dictionary
      else { return [] }
      return update(path, changed, properties, invalidated: signal.body[2].strings ?? [])
    case ("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"):
      guard signal.body.count == 2, let path = signal.body[0].objectPath, let interfaces = signal.body[1].dictionary
      else { return [] }
      return add(interfaces, to: path, isAdvertisement: true)
    case ("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"):
      guard signal.body.count == 2, let path = signal.body[0].objectPath, let interfaces = signal.body[1].strings
      else { return [] }
      return interfaces.flatMap { remove($0, from: path) }
    case ("org.bluez.Device1", "Disconnected"):
      guard let object = signal.path, let path = DevicePath(object), devices[path] != nil,
        let name = signal.body.first?.string
      else { return [] }
      return [.disconnectReason(path, DisconnectReason(name: name))]
    default:
      return []
    }
  }
}

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
    // The former properties belong to the former address.
    let renamed: [Change] = before.address == device.address ? [] : [.deviceRemoved(before)]
    return isSame(before, device) ? changes : renamed + [.deviceChanged(path)] + changes
  }

  /// Forgets properties that BlueZ reports as not valid any more, known ones or not.
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
