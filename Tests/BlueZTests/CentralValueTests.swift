import BluetoothScript
import DBus
import TestSupport
import Testing

@testable import BlueZ

/// The values of a characteristic on their way through the central: by descriptor, by signal, and from one to the other.
@Suite("Values of a central", .timeLimit(.minutes(5)))
struct CentralValueTests {
  private let address = Stage.address

  @Test("every packet of the descriptor is a value, equal and empty ones too, and all are told before the link is down")
  func packets() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.packets([0, 60], [0, 60], [], [0, 61])
    try await stage.bluez.unlink()
    await stage.bluez.closeDescriptor()
    let events = await stage.log.events { $0 == Stage.down }
    #expect(stage.values(events) == [[0, 60], [0, 60], [], [0, 61]])
    await stage.end()
  }

  @Test("packets that are unread when the end of the link is told are told before it")
  func unreadAtEnd() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    let end = MadeUp.changed(
      MadeUp.device, "Device1", ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
    await stage.packets([0, 60], [], [0, 61], then: end)
    let events = await stage.log.events { $0 == Stage.down }
    #expect(stage.values(events) == [[0, 60], [], [0, 61]])
    await stage.end()
  }

  @Test("packets that are unread when another program takes over by signals are told before its first value")
  func unreadAtTakeover() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.answer("AcquireNotify", .error(name: "org.bluez.Error.InProgress", message: "In Progress"))
    let first = MadeUp.changed(
      MadeUp.measurement, "GattCharacteristic1", ["Notifying": .boolean(true), "Value": .bytes([0, 62])])
    await stage.packets([0, 60], [0, 61], closes: true, then: first)
    let events = await stage.log.events { $0 == .subscribed(address, .shared) }
    #expect(stage.values(events) == [[0, 60], [0, 61], [0, 62]])
    await stage.end()
  }

  @Test("packets that are unread when the owner is about to stop are told when it asks for them")
  func unreadAtStop() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.packets([[0, 60], [0, 61]]) { central in
      central.readWaitingValues()
      stage.log.append(Stage.down)
    }
    #expect(stage.values(await stage.log.events { $0 == Stage.down }) == [[0, 60], [0, 61]])
    await stage.end()
  }

  @Test("the descriptor may end before the link is told to be down")
  func endFirst() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.answer("AcquireNotify", .error(name: "org.bluez.Error.Failed", message: "Not connected"))
    await stage.bluez.packets([0, 60], [])
    await stage.bluez.closeDescriptor()
    let events = await stage.log.events { $0 == .unsubscribed(address) }
    #expect(stage.values(events) == [[0, 60], []])
    try await stage.bluez.unlink()
    #expect(await stage.log.events { $0 == Stage.down } == [Stage.down])
    await stage.end()
  }

  @Test("after a loss and a new link the values come again")
  func reconnect() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    try await stage.bluez.unlink()
    _ = await stage.log.events { $0 == Stage.down }
    try await stage.bluez.change(MadeUp.device, "Device1", ["ServicesResolved": .boolean(true)])
    #expect(
      await stage.log.events { $0 == .subscribed(address, .acquired) }
        == [Stage.up, Stage.resolved, .subscribed(address, .acquired)])
    await stage.bluez.packets([0, 62])
    #expect(stage.values(await stage.log.events { if case .notification = $0 { true } else { false } }) == [[0, 62]])
    await stage.end()
  }

  @Test("a descriptor that ends while the link is up is acquired again")
  func acquireAgain() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.closeDescriptor()
    #expect(
      await stage.log.events { $0 == .subscribed(address, .acquired) }
        == [.unsubscribed(address), .subscribed(address, .acquired)])
    await stage.end()
  }

  @Test("what another program reads is no value")
  func readByOther() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    try await stage.emit(60)
    try await stage.mark()
    #expect(await stage.log.eventsUntilBattery() == [])
    await stage.end()
  }

  @Test("with other subscribers every value is told once, however many they are")
  func shared() async throws {
    let stage = try await Stage()
    // On a slow machine there are more attempts before the other program is told of, and the third asks for signals.
    for method in ["AcquireNotify", "StartNotify"] {
      await stage.bluez.answer(method, .error(name: "org.bluez.Error.InProgress", message: "In Progress"))
    }
    await stage.follow()
    try await stage.bluez.link()
    try await stage.notifying(true)
    _ = await stage.log.events { $0 == .subscribed(address, .shared) }
    let attempts = await stage.bluez.count("StartNotify")
    for value: UInt8 in [60, 60, 61] { try await stage.emit(value) }
    try await stage.answerOther()
    for value: UInt8 in [61, 61, 62] { try await stage.emit(value, times: 2) }
    try await stage.answerOther()
    for value: UInt8 in [62, 62, 63] { try await stage.emit(value) }
    try await stage.mark()
    let events = await stage.log.eventsUntilBattery()
    #expect(stage.values(events).map { $0[1] } == [60, 60, 61, 61, 61, 62, 62, 62, 63])
    #expect(await stage.bluez.count("StartNotify") == attempts)
    await stage.end()
  }

  @Test("when the others have left, the descriptor is ours")
  func othersLeft() async throws {
    let stage = try await Stage()
    // On a slow machine there are more attempts before the other program is told of, and the third asks for signals.
    for method in ["AcquireNotify", "StartNotify"] {
      await stage.bluez.answer(method, .error(name: "org.bluez.Error.InProgress", message: "In Progress"))
    }
    await stage.follow()
    try await stage.bluez.link()
    try await stage.notifying(true)
    _ = await stage.log.events { $0 == .subscribed(address, .shared) }
    for method in ["AcquireNotify", "StartNotify"] { await stage.bluez.answerAsUsual(method) }
    try await stage.notifying(false)
    #expect(
      await stage.log.events { $0 == .subscribed(address, .acquired) }
        == [.unsubscribed(address), .subscribed(address, .acquired)])
    await stage.end()
  }

  @Test("another program that takes over by signals: the packets before, then its values, each once")
  func takeover() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.answer("AcquireNotify", .error(name: "org.bluez.Error.InProgress", message: "In Progress"))
    await stage.bluez.packets([0, 60], [0, 61])
    await stage.bluez.closeDescriptor()
    try await stage.notifying(true)
    try await stage.emit(62)
    try await stage.emit(63)
    try await stage.mark()
    #expect(stage.values(await stage.log.eventsUntilBattery()).map { $0[1] } == [60, 61, 62, 63])
    await stage.end()
  }

  @Test("a characteristic that gives no descriptor is subscribed by signals, whose first comes before the answer")
  func started() async throws {
    let stage = try await Stage()
    await stage.bluez.answer(
      "AcquireNotify", .error(name: "org.bluez.Error.NotSupported", message: "Operation is not supported"))
    await stage.bluez.answer("StartNotify", .later)
    await stage.follow()
    try await stage.bluez.link()
    let call = await stage.bluez.next("StartNotify")
    try await stage.emit(60)
    try await stage.bluez.send(call.reply())
    try await stage.emit(61)
    try await stage.mark()
    let events = await stage.log.eventsUntilBattery()
    #expect(stage.values(events).map { $0[1] } == [60, 61])
    #expect(events.contains(.subscribed(address, .started)))
    await stage.central.stop()
    #expect(await stage.bluez.count("StopNotify") == 1)
    await stage.end()
  }

  @Test("handles that move while the link is up: subscribed at the new place")
  func moved() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    let path: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010/char0011"
    await stage.bluez.packets([0, 60])
    try await stage.bluez.remove(MadeUp.measurement, ["GattCharacteristic1"])
    try await stage.bluez.add(path, MadeUp.measurementObject)
    let events = await stage.log.events { $0 == .subscribed(address, .acquired) }
    #expect(stage.values(events) == [[0, 60]])
    _ = await stage.bluez.next("AcquireNotify")
    #expect(await stage.bluez.next("AcquireNotify").path == path)
    await stage.end()
  }

  @Test("an answer that comes after the end of its link opens no descriptor")
  func lateAnswer() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("AcquireNotify", .later)
    await stage.follow()
    try await stage.bluez.link()
    let call = await stage.bluez.next("AcquireNotify")
    try await stage.bluez.unlink()
    try await stage.bluez.sendDescriptor(for: call)
    await stage.reconcile()
    #expect(await stage.bluez.isClosedByClient())
    await stage.end()
  }

  @Test("what is to be read once is read for each link, what refuses is left out, and the battery is told")
  func readOnce() async throws {
    let stage = try await Stage(readOnce: [BluetoothUUID(0x2A38), BluetoothUUID(0x2A29), BluetoothUUID(0x2A24)])
    let location: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char0012"
    let model: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0020/char0021"
    await stage.bluez.answer(
      "ReadValue", .values([.bytes([1])]), .error(name: "org.bluez.Error.NotPermitted", message: "Read not permitted"),
      .values([.bytes([2])]))
    for (path, uuid) in [(location, "2a38"), (model, "2a24")] {
      try await stage.bluez.add(path, ["GattCharacteristic1": ["UUID": .string(uuid)]])
    }
    await stage.follow()
    try await stage.bluez.add(MadeUp.device, ["Battery1": ["Percentage": .byte(87)]])
    try await stage.bluez.link()
    await stage.reconcile()
    try await stage.bluez.unlink()
    let events = await stage.log.events { $0 == Stage.down }
    #expect(events.filter { $0 == .battery(address, percent: 87) }.count == 1)
    #expect(
      events.filter { if case .value = $0 { true } else { false } } == [
        .value(address, BluetoothUUID(0x2A38), bytes: [1])
      ])
    await stage.end()
  }
}
