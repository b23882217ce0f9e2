extension SimulatedHost {
  /// The meaning of an object path.
  enum Object {
    case root
    /// `/org/bluez`
    case daemon
    case adapter(Int)
    case device(DeviceKey)
    case service(DeviceKey, GATTLayout.Service)
    case characteristic(DeviceKey, GATTLayout.Characteristic)
    case descriptor(DeviceKey, GATTLayout.Characteristic)
  }

  /// The device object, if there is one.
  subscript(key: DeviceKey) -> SimulatedDevice? {
    get { adapters[key.adapter].devices[key.strap] }
    set { adapters[key.adapter].devices[key.strap] = newValue }
  }

  /// Finds the object of a path; nil if bluetoothd has no such object.
  func object(at path: String) -> Object? {
    switch path {
    case "/": return .root
    case "/org/bluez": return .daemon
    default: break
    }
    let parts = path.split(separator: "/").map(String.init)
    guard parts.count >= 3,
      let adapter = adapters.indices.first(where: {
        adapters[$0].isVisible && adapters[$0].path == "/" + parts[..<3].joined(separator: "/")
      })
    else { return nil }
    if parts.count == 3 { return .adapter(adapter) }
    let strap = straps.indices.first { parts[3] == "dev_" + String(straps[$0].address.map { $0 == ":" ? "_" : $0 }) }
    guard let strap, adapters[adapter].devices[strap] != nil else { return nil }
    let key = DeviceKey(adapter: adapter, strap: strap)
    if parts.count == 4 { return .device(key) }
    return children(of: key).first { $0.path == path }?.object
  }

  /// The path of a device object.
  func path(_ key: DeviceKey) -> String {
    adapters[key.adapter].path + "/dev_" + String(straps[key.strap].address.map { $0 == ":" ? "_" : $0 })
  }

  /// The path of a characteristic of `layout`.
  func path(_ key: DeviceKey, _ characteristic: GATTLayout.Characteristic, in layout: GATTLayout) -> String {
    let service = layout.services.first { $0.characteristics.contains(characteristic) }
    return path(key) + "/service" + Self.digits(service?.handle ?? 0) + "/char" + Self.digits(characteristic.handle)
  }

  /// The path of the exported characteristic with this handle.
  func path(_ key: DeviceKey, handle: UInt16) -> String? {
    guard let layout = self[key]?.layout, let characteristic = layout.characteristic(at: handle) else { return nil }
    return path(key, characteristic, in: layout)
  }

  /// The GATT objects of a device, each before its own children.
  func children(of key: DeviceKey) -> [(path: String, object: Object)] {
    (self[key]?.layout?.exported ?? []).flatMap { children(of: key, service: $0) }
  }

  /// The objects of one service, itself first.
  func children(of key: DeviceKey, service: GATTLayout.Service) -> [(path: String, object: Object)] {
    let servicePath = path(key) + "/service" + Self.digits(service.handle)
    var objects: [(path: String, object: Object)] = [(servicePath, .service(key, service))]
    for characteristic in service.characteristics {
      let path = servicePath + "/char" + Self.digits(characteristic.handle)
      objects.append((path, .characteristic(key, characteristic)))
      if let handle = characteristic.configuration {
        objects.append((path + "/desc" + Self.digits(handle), .descriptor(key, characteristic)))
      }
    }
    return objects
  }

  private static func digits(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Every object with its interfaces.
  func managedObjects() -> [String: Interfaces] {
    var objects = ["/org/bluez": interfaces(of: .daemon)]
    for (number, adapter) in adapters.enumerated() where adapter.isVisible {
      objects[adapter.path] = interfaces(of: .adapter(number))
      for strap in adapter.devices.keys {
        let key = DeviceKey(adapter: number, strap: strap)
        objects[path(key)] = interfaces(of: .device(key))
        for child in children(of: key) { objects[child.path] = interfaces(of: child.object) }
      }
    }
    return objects
  }

  /// The interfaces of an object with their properties, including those that every object of bluetoothd has.
  func interfaces(of object: Object) -> Interfaces {
    var interfaces = ownInterfaces(of: object)
    interfaces["org.freedesktop.DBus.Introspectable"] = [:]
    if case .daemon = object { return interfaces }
    interfaces["org.freedesktop.DBus.Properties"] = [:]
    return interfaces
  }

  private func ownInterfaces(of object: Object) -> Interfaces {
    switch object {
    case .root: ["org.freedesktop.DBus.ObjectManager": [:]]
    case .daemon:
      ["org.bluez.AgentManager1": [:], "org.bluez.ProfileManager1": [:], "org.bluez.HealthManager1": [:]]
    case .adapter(let number):
      ["org.bluez.Adapter1": properties(ofAdapter: number), "org.bluez.GattManager1": [:]]
        .merging(adapters[number].isPowered ? ["org.bluez.LEAdvertisingManager1": [:]] : [:]) { $1 }
    case .device(let key):
      if let device = self[key], device.hasBattery {
        [
          "org.bluez.Device1": properties(ofDevice: key),
          "org.bluez.Battery1": ["Percentage": .byte(device.batteryLevel)],
        ]
      } else {
        ["org.bluez.Device1": properties(ofDevice: key)]
      }
    case .service(let key, let service):
      [
        "org.bluez.GattService1": [
          "UUID": .string(service.uuid), "Device": .objectPath(path(key)), "Primary": .bool(true),
          "Includes": .objectPaths([]),
        ]
      ]
    case .characteristic(let key, let characteristic):
      ["org.bluez.GattCharacteristic1": properties(key, characteristic)]
    case .descriptor(let key, let characteristic):
      [
        "org.bluez.GattDescriptor1": [
          "UUID": .string(GATTLayout.uuid(0x2902)), "Value": .bytes([]),
          "Characteristic": .objectPath(path(key, handle: characteristic.handle) ?? path(key)),
        ]
      ]
    }
  }

  private func properties(ofAdapter number: Int) -> Properties {
    let adapter = adapters[number]
    return [
      "Address": .string(adapter.address), "AddressType": .string("public"), "Name": .string("BlueZ 5.66"),
      "Alias": .string(adapter.alias), "Class": .uint32(0), "Powered": .bool(adapter.isPowered),
      "Discoverable": .bool(false), "DiscoverableTimeout": .uint32(180), "Pairable": .bool(!agents.isEmpty),
      "PairableTimeout": .uint32(0), "Discovering": .bool(!adapter.sessions.isEmpty),
      "UUIDs": .strings([GATTLayout.genericAttribute, GATTLayout.genericAccess]),
      "Modalias": .string("usb:v1D6Bp0246d0542"), "Roles": .strings(["central", "peripheral"]),
    ]
  }

  private func properties(ofDevice key: DeviceKey) -> Properties {
    guard let device = self[key] else { return [:] }
    let profile = straps[key.strap].profile
    var properties: Properties = [
      "Address": .string(profile.address), "AddressType": .string(profile.addressType.rawValue),
      "Name": .string(profile.name), "Alias": .string(device.alias), "Paired": .bool(device.isPaired),
      "Bonded": .bool(device.isPaired), "Trusted": .bool(device.isTrusted), "Blocked": .bool(device.isBlocked),
      "LegacyPairing": .bool(false), "Connected": .bool(device.isConnected), "UUIDs": .strings(device.uuids),
      "Adapter": .objectPath(adapters[key.adapter].path), "ServicesResolved": .bool(device.isResolved),
    ]
    if let data = manufacturerData(profile) { properties["ManufacturerData"] = data }
    if let rssi = device.rssi { properties["RSSI"] = .int16(rssi) }
    return properties
  }

  /// The manufacturer data as a property: the first two bytes are the company identifier.
  func manufacturerData(_ profile: StrapProfile) -> Property? {
    guard profile.manufacturer.count >= 2 else { return nil }
    let company = UInt16(profile.manufacturer[0]) | UInt16(profile.manufacturer[1]) << 8
    return .manufacturerData([company: Array(profile.manufacturer.dropFirst(2))])
  }

  private func properties(_ key: DeviceKey, _ characteristic: GATTLayout.Characteristic) -> Properties {
    guard let device = self[key], let layout = device.layout else { return [:] }
    let characteristicPath = path(key, characteristic, in: layout)
    let subscription = device.subscriptions[characteristic.handle]
    var properties: Properties = [
      "UUID": .string(characteristic.uuid), "Service": .objectPath(Self.parent(of: characteristicPath)),
      "Value": .bytes(device.values[characteristic.handle] ?? []), "Flags": .strings(characteristic.flags),
      "MTU": .uint16(Self.mtu),
    ]
    if characteristic.notifies {
      properties["Notifying"] = .bool(subscription?.isNotifying ?? false)
      if characteristic.flags.contains("notify") {
        properties["NotifyAcquired"] = .bool(subscription?.isAcquired ?? false)
      }
    }
    return properties
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
  }

  /// Signals a new object.
  mutating func announce(_ path: String, _ object: Object) {
    effects.append(.interfacesAdded(path: path, interfaces(of: object)))
  }

  /// Signals that an object is gone; `interfaces` are the main ones.
  mutating func withdraw(_ path: String, _ interfaces: [String]) {
    effects.append(
      .interfacesRemoved(
        path: path, ["org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable"] + interfaces))
  }

  /// Signals that the objects of a service are gone, children first.
  mutating func withdraw(_ key: DeviceKey, _ service: GATTLayout.Service) {
    let objects = children(of: key, service: service)
    for (path, object) in objects.dropFirst() {
      if case .descriptor = object { withdraw(path, ["org.bluez.GattDescriptor1"]) }
    }
    for (path, object) in objects.dropFirst() {
      if case .characteristic = object { withdraw(path, ["org.bluez.GattCharacteristic1"]) }
    }
    withdraw(objects[0].path, ["org.bluez.GattService1"])
  }

  /// Signals changed properties of a device.
  mutating func change(_ key: DeviceKey, _ properties: Properties, invalidated: [String] = []) {
    effects.append(
      .propertiesChanged(
        path: path(key), interface: "org.bluez.Device1", properties, invalidated: invalidated))
  }

  /// Signals changed properties of an adapter.
  mutating func change(adapter: Int, _ properties: Properties) {
    effects.append(
      .propertiesChanged(
        path: adapters[adapter].path, interface: "org.bluez.Adapter1", properties, invalidated: []))
  }

  /// Signals changed properties of a characteristic.
  mutating func change(_ key: DeviceKey, handle: UInt16, _ properties: Properties) {
    guard let path = path(key, handle: handle) else { return }
    effects.append(
      .propertiesChanged(
        path: path, interface: "org.bluez.GattCharacteristic1", properties, invalidated: []))
  }
}
