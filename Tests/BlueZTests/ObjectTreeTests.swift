import BluetoothScript
import DBus
import Testing

@testable import BlueZ

@Suite("ObjectTree")
struct ObjectTreeTests {
  private let adapter = AdapterPath(0)
  private let device = DevicePath(MadeUp.device)!
  private let measurement = CharacteristicPath(MadeUp.measurement)!

  /// bluetoothd is there with one adapter and what else is given.
  private func tree(_ objects: [ObjectPath: [String: MadeUp.Properties]] = [:]) -> ObjectTree {
    var tree = ObjectTree()
    _ = tree.setOwner(MadeUp.bluetoothd)
    _ = tree.load(MadeUp.objects([MadeUp.adapter: MadeUp.adapterObject].merging(objects) { $1 }))
    return tree
  }

  private func connectedTree() -> ObjectTree {
    var object = MadeUp.deviceObject
    object["Device1"]?["Connected"] = .boolean(true)
    object["Device1"]?["ServicesResolved"] = .boolean(true)
    return tree([MadeUp.device: object, MadeUp.measurement: MadeUp.measurementObject])
  }

  @Test("the objects that are there are told, adapters before devices, links and services with them")
  func load() {
    var tree = ObjectTree()
    #expect(tree.setOwner(MadeUp.bluetoothd) == [.ownerAppeared])
    var object = MadeUp.deviceObject
    object["Device1"]?["Connected"] = .boolean(true)
    object["Device1"]?["ServicesResolved"] = .boolean(true)
    object["Battery1"] = ["Percentage": .byte(87)]
    let changes = tree.load(
      MadeUp.objects([
        MadeUp.measurement: MadeUp.measurementObject, MadeUp.device: object, MadeUp.adapter: MadeUp.adapterObject,
        MadeUp.service: ["GattService1": ["UUID": .string("180d")]], "/org/bluez": ["AgentManager1": [:]],
      ]))
    #expect(changes.first == .adapterChanged(adapter))
    #expect(
      Set(changes) == [
        .adapterChanged(adapter), .deviceChanged(device), .battery(device, percent: 87), .connected(device),
        .servicesResolved(device), .characteristicAdded(measurement),
      ])
    #expect(tree.devices[device]?.name == "Lab HRM")
    #expect(tree.devices[device]?.addressType == .random)
    #expect(tree.devices[device]?.services == [BluetoothUUID(0x180D)])
    #expect(tree.devices[device]?.battery == 87)
    #expect(tree.characteristic(BluetoothUUID(0x2A37), of: device)?.path == measurement)
  }

  @Test("a signal strength among the objects that were there is old: the device was not seen")
  func oldSignal() {
    var object = MadeUp.deviceObject
    object["Device1"]?["RSSI"] = .int16(-40)
    var tree = ObjectTree()
    _ = tree.setOwner(MadeUp.bluetoothd)
    #expect(!tree.load(MadeUp.objects([MadeUp.device: object])).contains(.deviceSeen(device)))
  }

  @Test("until the objects are loaded, signals about them are ignored")
  func startUp() {
    var tree = ObjectTree()
    _ = tree.setOwner(MadeUp.bluetoothd)
    #expect(tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["Connected": .boolean(true)])) == [])
    #expect(tree.apply(MadeUp.added(MadeUp.device, MadeUp.deviceObject)) == [])
  }

  @Test("changes of unknown objects and of unknown interfaces are ignored")
  func unknown() {
    var tree = tree()
    for interface in ["Device1", "Battery1", "MediaPlayer1"] {
      #expect(tree.apply(MadeUp.changed(MadeUp.device, interface, ["Connected": .boolean(true)])) == [])
    }
    #expect(tree.apply(MadeUp.changed("/org/bluez/hci7", "Adapter1", ["Powered": .boolean(false)])) == [])
    #expect(tree.apply(MadeUp.changed(MadeUp.measurement, "GattCharacteristic1", ["Value": .bytes([0, 60])])) == [])
    #expect(tree.apply(MadeUp.removed(MadeUp.device, ["Device1", "Battery1"])) == [])
  }

  @Test("signals of anybody but bluetoothd are ignored")
  func forged() {
    var tree = connectedTree()
    var message = MadeUp.changed(MadeUp.measurement, "GattCharacteristic1", ["Value": .bytes([0, 200])])
    message.sender = ":1.66"
    #expect(tree.apply(message) == [])
    var owner = MadeUp.ownerChanged(to: "", from: MadeUp.bluetoothd)
    owner.sender = ":1.66"
    #expect(tree.apply(owner) == [])
  }

  @Test("a found device is told with its signal; later ones without any other change are only seen")
  func discovery() {
    var tree = tree()
    var object = MadeUp.deviceObject
    object["Device1"]?["RSSI"] = .int16(-55)
    #expect(tree.apply(MadeUp.added(MadeUp.device, object)) == [.deviceChanged(device), .deviceSeen(device)])
    #expect(tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["RSSI": .int16(-55)])) == [.deviceSeen(device)])
    #expect(tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["RSSI": .int16(-60)])) == [.deviceSeen(device)])
    #expect(tree.devices[device]?.rssi == -60)
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["RSSI": .int16(-60), "Name": .string("New")]))
        == [.deviceChanged(device), .deviceSeen(device)])
  }

  @Test("the end of discovery invalidates the signal, known or not")
  func invalidated() {
    var object = MadeUp.deviceObject
    object["Device1"]?["RSSI"] = .int16(-55)
    var tree = tree([MadeUp.device: object])
    let end = MadeUp.changed(MadeUp.device, "Device1", [:], invalidated: ["RSSI", "TxPower", "Nonsense"])
    #expect(tree.apply(end) == [])
    #expect(tree.devices[device]?.rssi == nil)
    #expect(tree.apply(end) == [])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", [:], invalidated: ["Name"])) == [.deviceChanged(device)])
  }

  @Test("a link comes up in the usual order")
  func connect() {
    var tree = tree([MadeUp.device: MadeUp.deviceObject])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["Connected": .boolean(true)]))
        == [.deviceChanged(device), .connected(device)])
    #expect(tree.apply(MadeUp.added(MadeUp.service, ["GattService1": [:]])) == [])
    #expect(
      tree.apply(MadeUp.added(MadeUp.measurement, MadeUp.measurementObject)) == [.characteristicAdded(measurement)])
    #expect(
      tree.apply(
        MadeUp.changed(
          MadeUp.device, "Device1", ["UUIDs": .strings(["180d", "180f"]), "ServicesResolved": .boolean(true)]))
        == [.deviceChanged(device), .servicesResolved(device)])
    #expect(
      tree.apply(MadeUp.added(MadeUp.device, ["Battery1": ["Percentage": .byte(50)]]))
        == [.battery(device, percent: 50)])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Battery1", ["Percentage": .byte(49)]))
        == [.battery(device, percent: 49)])
  }

  @Test("a lost link is one signal; the characteristics stay")
  func disconnect() {
    var tree = connectedTree()
    let changes = tree.apply(
      MadeUp.changed(
        MadeUp.device, "Device1", ["ServicesResolved": .boolean(false), "Connected": .boolean(false)]))
    #expect(Set(changes) == [.deviceChanged(device), .servicesLost(device), .disconnected(device)])
    #expect(tree.devices[device]?.hasLink == false)
    #expect(tree.apply(MadeUp.removed(MadeUp.device, ["Battery1"])) == [])
    #expect(tree.characteristic(BluetoothUUID(0x2A37), of: device) != nil)
  }

  @Test("a link that broke before it was told is told all the same")
  func brokenAtOnce() {
    var tree = tree([MadeUp.device: MadeUp.deviceObject])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["Connected": .boolean(false)])) == [.disconnected(device)])
  }

  @Test("resolved services prove a link of which no Connected was told")
  func resolvedOnly() {
    var tree = tree([MadeUp.device: MadeUp.deviceObject])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["ServicesResolved": .boolean(true)]))
        == [.deviceChanged(device), .servicesResolved(device)])
    #expect(tree.devices[device]?.hasLink == true)
  }

  @Test("the reason of a disconnect is told by newer versions")
  func reason() {
    var tree = connectedTree()
    let signal = MadeUp.signal(
      MadeUp.device, "org.bluez.Device1", "Disconnected",
      [.string("org.bluez.Reason.Timeout"), .string("Connection timeout")])
    #expect(tree.apply(signal) == [.disconnectReason(device, .timeout)])
    #expect(DisconnectReason(name: "org.bluez.Reason.Newer") == .unknown)
  }

  @Test("a device that is removed takes its characteristics with it")
  func removal() {
    var tree = connectedTree()
    let known = tree.devices[device]!
    #expect(
      tree.apply(MadeUp.removed(MadeUp.measurement, ["GattCharacteristic1"])) == [.characteristicRemoved(measurement)])
    #expect(tree.apply(MadeUp.removed(MadeUp.device, ["Device1", "Battery1"])) == [.deviceRemoved(known)])
    #expect(tree.devices.isEmpty && tree.characteristics.isEmpty)
  }

  @Test("a device that gets another address is told with what it was")
  func addressChange() {
    var tree = connectedTree()
    let before = tree.devices[device]!
    let changed = MadeUp.changed(MadeUp.device, "Device1", ["Address": .string("C0:FF:EE:00:00:02")])
    #expect(tree.apply(changed) == [.deviceRemoved(before), .deviceChanged(device)])
    #expect(tree.devices[device]?.address == DeviceAddress("C0:FF:EE:00:00:02"))
    #expect(tree.apply(changed) == [])
    var object = MadeUp.deviceObject
    object["Device1"]?["Address"] = .string("C0:FF:EE:00:00:03")
    #expect(
      tree.apply(MadeUp.added("/org/bluez/hci0/dev_C0_FF_EE_00_00_09", object)).count == 1,
      "one that keeps the path of an earlier address is just new")
  }

  @Test("an adapter that is removed takes its devices with it, those of others stay")
  func adapterRemoval() {
    let other: ObjectPath = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"
    var tree = tree([
      MadeUp.device: MadeUp.deviceObject, other: MadeUp.deviceObject, "/org/bluez/hci1": MadeUp.adapterObject,
    ])
    let (adapter, known) = (tree.adapters[adapter]!, tree.devices[device]!)
    #expect(
      tree.apply(MadeUp.removed(MadeUp.adapter, ["Adapter1"])) == [.deviceRemoved(known), .adapterRemoved(adapter)])
    #expect(tree.devices.keys.map(\.object) == [other])
  }

  @Test("an adapter's power is told once for each change")
  func power() {
    var tree = tree()
    let off = MadeUp.changed(MadeUp.adapter, "Adapter1", ["Powered": .boolean(false), "Class": .uint32(0)])
    #expect(tree.apply(off) == [.adapterChanged(adapter)])
    #expect(tree.apply(off) == [])
    #expect(tree.adapters[adapter]?.isPowered == false)
  }

  @Test("values are told one by one, equal and empty ones too")
  func values() {
    var tree = connectedTree()
    for bytes: [UInt8] in [[0, 60], [0, 60], [], [0xFF]] {
      #expect(
        tree.apply(MadeUp.changed(MadeUp.measurement, "GattCharacteristic1", ["Value": .bytes(bytes)]))
          == [.value(measurement, bytes)])
    }
  }

  @Test("a value that comes with the start of a subscription follows it, one that comes with its end precedes it")
  func valueAndFlag() {
    var tree = connectedTree()
    let start = MadeUp.changed(
      MadeUp.measurement, "GattCharacteristic1", ["Notifying": .boolean(true), "Value": .bytes([1])])
    #expect(tree.apply(start) == [.subscriberChanged(measurement), .value(measurement, [1])])
    let end = MadeUp.changed(
      MadeUp.measurement, "GattCharacteristic1", ["Notifying": .boolean(false), "Value": .bytes([2])])
    #expect(tree.apply(end) == [.value(measurement, [2]), .subscriberChanged(measurement)])
  }

  @Test("handles that move are removals and additions, and UUIDs that are twice emitted two changes")
  func moved() {
    var tree = connectedTree()
    let path: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010/char0011"
    #expect(
      tree.apply(MadeUp.removed(MadeUp.measurement, ["GattCharacteristic1"])) == [.characteristicRemoved(measurement)])
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["UUIDs": .strings(["1800"])])) == [.deviceChanged(device)])
    #expect(tree.characteristic(BluetoothUUID(0x2A37), of: device) == nil)
    #expect(
      tree.apply(MadeUp.added(path, MadeUp.measurementObject)) == [.characteristicAdded(CharacteristicPath(path)!)])
    #expect(tree.characteristic(BluetoothUUID(0x2A37), of: device)?.path.object == path)
  }

  @Test("bluetoothd that ends leaves nothing, and the next one is asked anew")
  func restart() {
    var tree = connectedTree()
    #expect(tree.apply(MadeUp.ownerChanged(to: "", from: MadeUp.bluetoothd)) == [.ownerVanished])
    #expect(tree.devices.isEmpty && tree.adapters.isEmpty && !tree.isLoaded && tree.owner == nil)
    #expect(tree.apply(MadeUp.ownerChanged(to: ":1.9")) == [.ownerAppeared])
    // The answer of the one before comes late.
    #expect(tree.load(MadeUp.objects([MadeUp.adapter: MadeUp.adapterObject])) == [])
    #expect(!tree.isLoaded)
  }

  @Test("a name that changes hands directly is an end and a beginning")
  func replaced() {
    var tree = connectedTree()
    #expect(
      tree.apply(MadeUp.ownerChanged(to: ":1.9", from: MadeUp.bluetoothd)) == [.ownerVanished, .ownerAppeared])
  }

  @Test("a bonded device is found by its own address, whatever its path says")
  func identityAddress() {
    var object = MadeUp.deviceObject
    object["Device1"]?["Address"] = .string("AA:BB:CC:00:00:01")
    let tree = tree([MadeUp.device: object])
    let address = DeviceAddress("AA:BB:CC:00:00:01")!
    #expect(tree.device(address, on: adapter)?.path == device)
    #expect(tree.device(address, on: AdapterPath(1)) == nil)
    #expect(tree.device(device.address, on: adapter) == nil)
  }

  @Test("messages of the wrong shape are ignored")
  func misshapen() {
    var tree = connectedTree()
    let interface = "org.freedesktop.DBus.Properties"
    for body: [Value] in [[], [.string("org.bluez.Device1")], [.byte(1), .byte(2), .byte(3)]] {
      #expect(tree.apply(MadeUp.signal(MadeUp.device, interface, "PropertiesChanged", body)) == [])
      #expect(tree.apply(MadeUp.signal(.root, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", body)) == [])
      #expect(tree.apply(MadeUp.signal(.root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", body)) == [])
    }
    #expect(
      tree.apply(MadeUp.changed(MadeUp.device, "Device1", ["Connected": .string("yes"), "RSSI": .string("loud")])) == []
    )
  }
}
