import BlueZ
import BluetoothScript
import DBus
import Testing
import Timeline

@testable import Ingestion

@Suite("The recorder and links that it did not ask for", .timeLimit(.minutes(5)))
struct RecorderLinksTests {
  private let strap = RecorderStage.strap

  /// Waits until the recorder asks for the strap's values, and returns over which adapter it does.
  private func nextSubscription(_ stage: RecorderStage) async -> UInt16? {
    let path = await stage.bluez.next("AcquireNotify").path
    return [0, 1].first { RecorderStage.measurement(strap, $0) == path }
  }

  /// How often the recorder has asked for the strap's values over an adapter, calls left out that a test has waited for.
  private func acquired(_ stage: RecorderStage, over adapter: UInt16) async -> Int {
    let path = RecorderStage.measurement(strap, adapter)
    return await stage.bluez.paths(of: "AcquireNotify").count { $0 == path }
  }

  private func received(_ notifications: Int, _ stage: RecorderStage) async {
    await stage.witness.wait { $0.status?.sensors.first?.notifications == notifications }
  }

  @Test("of two links to one strap one is recorded; the other is named in the log, and used when the first is lost")
  func twoAdapters() async throws {
    let stage = try await RecorderStage(objects: [
      RecorderStage.path(RecorderStage.strap, 0): MadeUp.object(of: "\(RecorderStage.strap)"),
      RecorderStage.path(RecorderStage.strap, 1): MadeUp.object(of: "\(RecorderStage.strap)"),
    ])
    await stage.witness.wait { $0.status?.state == .adapterOff }
    try await stage.link(over: 0)
    #expect(await nextSubscription(stage) == 0)
    await stage.bluez.packets([0, 60], [0, 61])
    await received(2, stage)
    try await stage.bluez.unlink(RecorderStage.path(strap, 0))
    await stage.witness.wait { $0.status?.sensors.first?.state == .linkLost }
    try await stage.link(over: 1)
    #expect(await nextSubscription(stage) == 1)
    await stage.bluez.packets([0, 62])
    await received(3, stage)
    try await stage.link(over: 0)
    try await stage.fence()
    #expect(await stage.bluez.count("AcquireNotify") == 0, "each value would be recorded twice")
    #expect(stage.witness.lines.contains { $0.contains("\(strap)") && $0.contains("hci0") && $0.contains("hci1") })
    try await stage.bluez.unlink(RecorderStage.path(strap, 1))
    #expect(await nextSubscription(stage) == 0)
    await stage.bluez.packets([0, 63])
    await received(4, stage)
    await stage.end()
  }

  @Test(
    "a bluetoothd that does not answer is told as that, in the log and the status, and not as one that is not running")
  func silentService() async throws {
    let stage = try await RecorderStage(isSilent: true)
    await stage.witness.line("bluetoothd is running and does not answer; restart it with: systemctl restart bluetooth")
    await stage.witness.wait {
      $0.status?.state == .noBluetoothService && $0.status?.problem?.contains("does not answer") == true
    }
    let call = await stage.bluez.next("GetManagedObjects")
    try await stage.bluez.send(call.reply([MadeUp.objectsValue([:])]))
    await stage.witness.wait { $0.status?.state == .noAdapter }
    await stage.end()
  }

  @Test("an adapter that is off, is switched, or goes is logged")
  func adapters() async throws {
    let stage = try await RecorderStage()
    await stage.witness.line("hci0: the adapter is off; switch it on with: bluetoothctl power on")
    await stage.witness.line("hci1: the adapter is off; switch it on with: bluetoothctl power on")
    let path = AdapterPath(1).object
    try await stage.bluez.change(path, "Adapter1", ["Powered": .boolean(true)])
    await stage.witness.line("hci1: the adapter is on")
    try await stage.bluez.remove(path, ["Adapter1"])
    await stage.witness.line("hci1: the adapter is gone; waiting for it")
    await stage.end()
  }

  @Test("a strap that was taken off the list is left to whoever links it")
  func removed() async throws {
    let stage = try await RecorderStage(objects: [
      RecorderStage.path(RecorderStage.strap, 0): MadeUp.object(of: "\(RecorderStage.strap)")
    ])
    await stage.witness.line("bluetoothd is there")
    try await stage.link(over: 0)
    await stage.witness.line("\(strap): values come")
    try await stage.bluez.unlink(RecorderStage.path(strap, 0))
    await stage.witness.line("\(strap): link lost")
    try await stage.remove(strap)
    await stage.witness.line("\(strap): not allowed any more")
    try await stage.link(over: 0)
    try await stage.fence()
    #expect(await acquired(stage, over: 0) == 1)
    await stage.end()
  }

  @Test("where a recorder that goes first has the values, that is told, and where none is, another program")
  func otherRecorder() async throws {
    for name in [nil, "org.freedesktop.DBus", "org.example.Nobody"] {
      let stage = try await RecorderStage(objects: [
        RecorderStage.path(RecorderStage.strap, 0): MadeUp.object(of: "\(RecorderStage.strap)")
      ]) { settings, _ in settings.precedence = name }
      await stage.bluez.answer("AcquireNotify", .error(name: "org.bluez.Error.NotPermitted", message: "refused"))
      await stage.witness.line("bluetoothd is there")
      // The bus owns its own name, and is another process.
      let isThere = name == "org.freedesktop.DBus"
      #expect(stage.witness.count("another recorder is there; what it wants is its own") == (isThere ? 1 : 0))
      try await stage.link(over: 0)
      let measurement = RecorderStage.measurement(strap, 0)
      try await stage.bluez.change(measurement, "GattCharacteristic1", ["NotifyAcquired": .boolean(true)])
      await stage.witness.line(
        isThere
          ? "\(strap): no values: another program has them; org.sensord on this bus is another recorder"
          : "\(strap): no values: another program has them; they come when it ends")
      await stage.end()
    }
  }

  @Test("a strap that is heard with the full name of an absent listed one is told, and neither linked nor recorded")
  func namesake() async throws {
    let stage = try await RecorderStage(objects: [
      RecorderStage.path(RecorderStage.strap, 0): MadeUp.object(of: "\(RecorderStage.strap)")
    ])
    await stage.witness.line("bluetoothd is there")
    let other = try #require(DeviceAddress("C0:FF:EE:00:00:02"))
    let path = RecorderStage.path(other, 0)
    let told = "\(strap): away, and a sensor with its name is near as \(other)"
    var object = MadeUp.object(of: "\(other)")
    object["Device1"]?["Name"] = .string("Lab HRM 2")
    try await stage.bluez.add(path, object)
    try await stage.bluez.change(path, "Device1", ["RSSI": .int16(-60)])
    try await stage.fence()
    #expect(stage.witness.count(told) == 0, "not the full name")
    try await stage.bluez.change(path, "Device1", ["Name": .string("Lab HRM"), "RSSI": .int16(-61)])
    await stage.witness.line(
      "\(told); if it is the same one, its address has changed: sensord devices replace \(strap) \(other)")
    try await stage.bluez.change(path, "Device1", ["RSSI": .int16(-62)])
    try await stage.fence()
    #expect(stage.witness.count(told) == 1, "once a day")
    #expect(stage.witness.count("\(other): link") == 0)
    await stage.end()
  }

  @Test("a sensor that tells its lasting address with the keys goes on under it, by its link and in the list")
  func identity() async throws {
    let path = RecorderStage.path(RecorderStage.strap, 0)
    let stage = try await RecorderStage(powered: true, objects: [path: MadeUp.object(of: "\(RecorderStage.strap)")])
    await stage.witness.line("bluetoothd is there")
    try await stage.link(over: 0)
    await stage.witness.line("\(strap): linked over hci0")
    let identity = try #require(DeviceAddress("C0:FF:EE:00:00:02"))
    let ended = await stage.bluez.count("Disconnect")
    try await stage.bluez.change(path, "Device1", ["Address": .string("\(identity)")])
    await stage.witness.line("\(identity): linked over hci0")
    await stage.witness.line("\(strap): paired; it is \(identity) from now on, its lasting address")
    let listed = try await stage.listed()
    #expect(listed.contains("\(identity)") && !listed.contains("\(strap)"))
    #expect(await stage.bluez.count("Disconnect") == ended)
    #expect(stage.witness.count("\(strap): not allowed") == 0)
    await stage.end()
  }

  @Test("adapters that the configuration leaves out are not used, whoever has linked a sensor over them")
  func otherAdapter() async throws {
    let stage = try await RecorderStage(objects: [
      RecorderStage.path(RecorderStage.strap, 0): MadeUp.object(of: "\(RecorderStage.strap)"),
      RecorderStage.path(RecorderStage.strap, 1): MadeUp.object(of: "\(RecorderStage.strap)"),
    ]) { settings, _ in settings.adapters = ["hci0"] }
    await stage.witness.line("bluetoothd is there")
    try await stage.link(over: 1)
    try await stage.fence()
    #expect(await acquired(stage, over: 1) == 0)
    #expect(stage.witness.count("\(strap): linked") == 0)
    try await stage.link(over: 0)
    await stage.witness.line("\(strap): linked over hci0")
    await stage.witness.line("\(strap): values come")
    await stage.end()
  }

  @Test("a link of the recorder's own to a sensor that nobody wants any more is ended")
  func ownLinkOfNobody() async throws {
    var object = MadeUp.object(of: "\(RecorderStage.strap)")
    object["Device1"]?["Connected"] = .boolean(true)
    let stage = try await RecorderStage(allowed: [], objects: [RecorderStage.path(strap, 0): object]) {
      settings, service in
      settings.inheritedLinks = OwnLinks(
        service: service, links: [OwnLinks.Link(RecorderStage.strap, over: AdapterPath(0))])
    }
    #expect(await stage.bluez.next("Disconnect").path == RecorderStage.path(strap, 0))
    await stage.end()
  }

  @Test("with any, a sensor that is not in the list is forgotten together with bluetoothd")
  func strangers() async throws {
    let path = RecorderStage.path(strap, 0)
    let stage = try await RecorderStage(
      allowed: [], powered: true, objects: [path: MadeUp.object(of: "\(RecorderStage.strap)")]
    ) { settings, _ in settings.unlisted = .any(atLeast: -70) }
    await stage.witness.line("bluetoothd is there")
    let address = SensorAddress(bits: strap.bits)!
    try await stage.bluez.change(path, "Device1", ["RSSI": .int16(-50)])
    await stage.witness.wait { $0.status?.sensors.contains { $0.address == address && $0.state == .linked } == true }
    await stage.bluez.kill()
    await stage.witness.wait { $0.status?.sensors.contains { $0.address == address } == false }
    await stage.end()
  }
}
