package import DBus

/// Messages as bluetoothd (`:1.1`) sends them, for tests without a bus.
package enum MadeUp {
  package static let bluetoothd = ":1.1"
  package static let adapter: ObjectPath = "/org/bluez/hci0"
  package static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  package static let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e"
  package static let measurement: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char000f"
  package static let measurementUUID = "00002a37-0000-1000-8000-00805f9b34fb"

  package typealias Properties = [String: Value]

  package static func signal(_ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value]) -> Message {
    var message = Message.signal(path: path, interface: interface, member: member, body: body)
    message.sender = bluetoothd
    return message
  }

  package static func changed(
    _ path: ObjectPath, _ interface: String, _ properties: Properties, invalidated: [String] = []
  ) -> Message {
    signal(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string("org.bluez.\(interface)"), .properties(properties), .strings(invalidated)])
  }

  package static func added(_ path: ObjectPath, _ interfaces: [String: Properties]) -> Message {
    signal(
      .root, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.objectPath(path), dictionary(interfaces)])
  }

  package static func removed(_ path: ObjectPath, _ interfaces: [String]) -> Message {
    signal(
      .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
      [.objectPath(path), .strings(interfaces.map { "org.bluez.\($0)" })])
  }

  package static func ownerChanged(to owner: String, from old: String = "") -> Message {
    var message = Message.signal(
      path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      body: [.string("org.bluez"), .string(old), .string(owner)])
    message.sender = "org.freedesktop.DBus"
    return message
  }

  /// The reply to GetManagedObjects.
  package static func objects(_ objects: [ObjectPath: [String: Properties]]) -> Message {
    var message = Message(.methodReturn, body: [objectsValue(objects)])
    message.sender = bluetoothd
    return message
  }

  package static func objectsValue(_ objects: [ObjectPath: [String: Properties]]) -> Value {
    let entries = objects.sorted { $0.key > $1.key }.map {
      DictionaryValue.Entry(key: .objectPath($0.key), value: dictionary($0.value))
    }
    return .dictionary(try! DictionaryValue(key: "o", value: "a{sa{sv}}", entries: entries))
  }

  private static func dictionary(_ interfaces: [String: Properties]) -> Value {
    let entries = interfaces.sorted { $0.key < $1.key }.map {
      DictionaryValue.Entry(key: .string("org.bluez.\($0.key)"), value: .properties($0.value))
    }
    return .dictionary(try! DictionaryValue(key: "s", value: "a{sv}", entries: entries))
  }

  package static let adapterObject = [
    "Adapter1": ["Address": Value.string("00:1B:DC:00:00:01"), "Powered": .boolean(true)]
  ]
  package static let deviceObject = [
    "Device1": [
      "Address": Value.string("C0:FF:EE:00:00:01"), "AddressType": .string("random"), "Name": .string("Lab HRM"),
      "Connected": .boolean(false), "ServicesResolved": .boolean(false), "Paired": .boolean(false),
      "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]),
    ]
  ]
  /// The object of another device, in its own words.
  package static func object(of address: String) -> [String: Properties] {
    var object = deviceObject
    object["Device1"]?["Address"] = .string(address)
    return object
  }
  package static let measurementObject = [
    "GattCharacteristic1": ["UUID": Value.string(measurementUUID), "Notifying": .boolean(false)]
  ]
}
