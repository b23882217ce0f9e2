internal import DBus

extension ObjectTree {
  static let adapterInterface = "org.bluez.Adapter1"
  static let deviceInterface = "org.bluez.Device1"
  static let batteryInterface = "org.bluez.Battery1"
  static let characteristicInterface = "org.bluez.GattCharacteristic1"

  /// Adds interfaces with all their properties; those of an object that is there already replace what is known. With
  /// `isAdvertisement` a signal strength among them was measured just now.
  mutating func add(_ interfaces: DictionaryValue, to object: ObjectPath, isAdvertisement: Bool) -> [Change] {
    var changes: [Change] = []
    let isBattery = { (entry: DictionaryValue.Entry) in entry.key.string == Self.batteryInterface }
    // They come in no order, and a battery belongs to the device beside it.
    for entry in interfaces.entries.filter({ !isBattery($0) }) + interfaces.entries.filter(isBattery) {
      guard let interface = entry.key.string, let properties = entry.value.dictionary else { continue }
      switch interface {
      case Self.adapterInterface:
        guard let path = AdapterPath(object) else { continue }
        if adapters[path] == nil {
          adapters[path] = Adapter(path: path)
          changes.append(.adapterChanged(path))
        }
        changes += updateAdapter(path, properties).filter { !changes.contains($0) }
      case Self.deviceInterface:
        guard let path = DevicePath(object) else { continue }
        let isNew = devices[path] == nil
        if isNew { devices[path] = Device(path: path) }
        let updates = updateDevice(path, properties)
        if isNew, !updates.contains(.deviceChanged(path)) { changes.append(.deviceChanged(path)) }
        // One that is new has neither lost a link nor, where its path has another address, been another one.
        changes += updates.filter { change in
          switch change {
          case .deviceSeen: false
          case .disconnected, .deviceRemoved: !isNew
          default: true
          }
        }
        if isAdvertisement, updates.contains(.deviceSeen(path)) { changes.append(.deviceSeen(path)) }
      case Self.batteryInterface:
        guard let path = DevicePath(object) else { continue }
        changes += updateBattery(path, properties)
      case Self.characteristicInterface:
        guard let path = CharacteristicPath(object), let uuid = properties["UUID"]?.string.flatMap(BluetoothUUID.init)
        else { continue }
        var characteristic = Characteristic(path: path, uuid: uuid)
        characteristic.isNotifying = properties["Notifying"]?.boolean ?? false
        characteristic.isNotifyAcquired = properties["NotifyAcquired"]?.boolean ?? false
        guard characteristics[path.device]?[path] != characteristic else { continue }
        characteristics[path.device, default: [:]][path] = characteristic
        changes.append(.characteristicAdded(path))
      default:
        continue
      }
    }
    return changes
  }

  mutating func remove(_ interface: String, from object: ObjectPath) -> [Change] {
    switch interface {
    case Self.adapterInterface:
      guard let path = AdapterPath(object), let adapter = adapters.removeValue(forKey: path) else { return [] }
      // BlueZ removes the devices first; what is left all the same must not outlive the adapter.
      let orphans = devices.keys.filter { $0.adapter == path }.sorted()
      return orphans.flatMap { remove(Self.deviceInterface, from: $0.object) } + [.adapterRemoved(adapter)]
    case Self.deviceInterface:
      guard let path = DevicePath(object), let device = devices.removeValue(forKey: path) else { return [] }
      characteristics[path] = nil
      return [.deviceRemoved(device)]
    case Self.batteryInterface:
      guard let path = DevicePath(object) else { return [] }
      devices[path]?.battery = nil
      return []
    case Self.characteristicInterface:
      guard let path = CharacteristicPath(object), characteristics[path.device]?.removeValue(forKey: path) != nil
      else { return [] }
      return [.characteristicRemoved(path)]
    default:
      return []
    }
  }

  mutating func update(
    _ object: ObjectPath, _ interface: String, _ properties: DictionaryValue, invalidated: [String]
  ) -> [Change] {
    switch interface {
    case Self.characteristicInterface:
      guard let path = CharacteristicPath(object) else { return [] }
      return updateCharacteristic(path, properties)
    case Self.deviceInterface:
      guard let path = DevicePath(object), devices[path] != nil else { return [] }
      let changes = updateDevice(path, properties)
      return changes + invalidate(invalidated, of: path).filter { !changes.contains($0) }
    case Self.batteryInterface:
      guard let path = DevicePath(object) else { return [] }
      return updateBattery(path, properties)
    case Self.adapterInterface:
      guard let path = AdapterPath(object), adapters[path] != nil else { return [] }
      return updateAdapter(path, properties)
    default:
      return []
    }
  }

  private mutating func updateAdapter(_ path: AdapterPath, _ properties: DictionaryValue) -> [Change] {
    guard var adapter = adapters[path] else { return [] }
    for entry in properties.entries {
      switch entry.key.string {
      case "Address": adapter.address = entry.value.string.flatMap { DeviceAddress($0) }
      case "Powered": adapter.isPowered = entry.value.boolean ?? adapter.isPowered
      case "Discovering": adapter.isDiscovering = entry.value.boolean ?? adapter.isDiscovering
      default: continue
      }
    }
    let before = adapters.updateValue(adapter, forKey: path)
    guard adapter != before else { return [] }
    let hasEnded = before?.isDiscovering == true && !adapter.isDiscovering
    return [.adapterChanged(path)] + (hasEnded ? [.discoveryEnded(path)] : [])
  }

  private mutating func updateBattery(_ path: DevicePath, _ properties: DictionaryValue) -> [Change] {
    guard devices[path] != nil, let percent = properties["Percentage"]?.byte else { return [] }
    devices[path]?.battery = percent
    return [.battery(path, percent: percent)]
  }

  private mutating func updateCharacteristic(_ path: CharacteristicPath, _ properties: DictionaryValue) -> [Change] {
    guard characteristics[path.device]?[path] != nil else { return [] }
    var values: [Change] = []
    var hasChanged = false
    for entry in properties.entries {
      switch entry.key.string {
      case "Notifying":
        guard let flag = entry.value.boolean, characteristics[path.device]?[path]?.isNotifying != flag else { continue }
        characteristics[path.device]?[path]?.isNotifying = flag
        hasChanged = true
      case "NotifyAcquired":
        guard let flag = entry.value.boolean, characteristics[path.device]?[path]?.isNotifyAcquired != flag
        else { continue }
        characteristics[path.device]?[path]?.isNotifyAcquired = flag
        hasChanged = true
      case "Value":
        if let bytes = entry.value.bytes { values.append(.value(path, bytes)) }
      default: continue
      }
    }
    guard hasChanged else { return values }
    // One signal can carry a value together with the start or the end of the subscription by which it came.
    let isNotifying = characteristics[path.device]?[path]?.isNotifying == true
    return isNotifying ? [.subscriberChanged(path)] + values : values + [.subscriberChanged(path)]
  }
}
