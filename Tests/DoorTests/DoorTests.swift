import RecorderBus
import DBus
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Door
@testable import Ingestion

@Suite("The door of a recorder", .timeLimit(.minutes(5)))
struct DoorTests {
  @Test("what is installed as introspection data is what the running door tells")
  func introspection() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    func introspect(_ path: ObjectPath) async throws -> String? {
      try await client.call(
        .call("org.sensord", path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
      ).body.first?.string
    }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appendingPathComponent("systemd/dbus-1/org.sensord.xml")
    let live = try #require(try await introspect("/org/sensord"))
    let all = ServiceObject(ClientInterfaces.all).introspection
    if ProcessInfo.processInfo.environment["RECORD_INTROSPECTION"] != nil {
      try all.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("the introspection data were written; read the difference")
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == all)
    for part in live.components(separatedBy: "  <interface ").dropFirst() {
      let interface = try #require(part.components(separatedBy: "  </interface>").first)
      #expect(all.contains("  <interface " + interface + "  </interface>"))
    }
    #expect(try await introspect("/")?.contains("<node name=\"org\"/>") == true)
    #expect(try await introspect("/org")?.contains("<node name=\"sensord\"/>") == true)
    await stage.end()
  }

  @Test("a subscriber gets what a strap sends, in order, without holes, and what it does")
  func values() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    var signals = await client.signals("Live1").makeAsyncIterator()
    _ = try await client.ask("Live1", "Subscribe", [.strings([])])
    #expect(await signals.next("State")?.body[1].string == "linkLost")
    for index in 0..<50 { stage.send([0x16, UInt8(60 + index), UInt8(index), 4]) }
    for index in 0..<50 {
      let body = try #require(await signals.next("Measurement")).body
      #expect(body[0].string == "\(DoorStage.strap)")
      #expect(body[1].uint64 == UInt64(index + 1))
      #expect(body[3].uint16 == UInt16(60 + index))
      #expect(body[4].array?.compactMap(\.uint16) == [UInt16(1024 + index)])
      #expect(body[5].properties == ["contact": .boolean(true)])
    }
    _ = try await client.ask("Live1", "Unsubscribe")
    await stage.until { !$0.recorder.observers.want([.measurements, .values, .status, .sessions]) }
    await stage.end()
  }

  @Test("nothing is taken from the recorder while nobody subscribes, nor for who may not read")
  func nobody() async throws {
    let stage = try await DoorStage()
    let all: RecorderEvent.Interests = [.sessions, .values, .status, .measurements, .store]
    #expect(!stage.recorder.observers.want(all))
    var game: Connection? = try await stage.connectGame()
    _ = try await game?.ask("Live1", "Subscribe", [.strings([])])
    #expect(!stage.recorder.observers.want([.measurements, .values, .status, .sessions]))
    await game?.close()
    game = nil
    let owner = try await stage.connect()
    _ = try await owner.ask("Live1", "Subscribe", [.strings(["\(DoorStage.other)"])])
    #expect(stage.recorder.observers.want(.measurements))
    await owner.close()
    await stage.until { !$0.recorder.observers.want(all) }
    await stage.end()
  }

  @Test("a client that may read sees the sensors; to one that may not there are none")
  func sensors() async throws {
    var limits = ClientLimits()
    limits.callsPerSecond = 1_000_000
    limits.callsOfClientPerSecond = 1_000_000
    let stage = try await DoorStage(limits: limits)
    let owner = try await stage.connect()
    #expect(try await owner.property("Recording")?.boolean == false)
    let list = try await owner.ask("Manager1", "ListSensors")[0].array?.compactMap(\.properties)
    #expect(list?.map { $0["address"]?.string } == ["\(DoorStage.strap)", "\(DoorStage.other)"])
    #expect(list?.first?["name"]?.string == "Strap" && list?.first?["state"]?.string == "absent")
    #expect(try await owner.property("Version")?.string == "1.2.3")
    stage.send([0x16, 60, 0, 4])
    while try await owner.property("Recording")?.boolean != true {}
    let game = try await stage.connectGame()
    #expect(try await game.ask("Manager1", "ListSensors") == [.array([], of: "a{sv}")])
    #expect(try await game.property("Recording")?.boolean == false)
    try await owner.decide(read: ["heartRate"])
    #expect(try await game.ask("Manager1", "ListSensors")[0].array?.count == 2)
    #expect(try await game.property("Recording")?.boolean == true)
    await stage.end()
  }

  @Test("a request waits for the owner, who is told and decides")
  func request() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    _ = try await owner.ask("Grants1", "List")
    let game = try await stage.connectGame()
    async let answer = game.ask("Authorization1", "Request", [.strings(["stepCount"]), .strings(["heartRate"])])
    let details = try #require(await requested.next("Requested")?.body.first?.properties)
    #expect(details["application"]?.string == DoorStage.game && details["uid"]?.uint32 == getuid())
    #expect(details["share"]?.strings == ["stepCount"] && details["read"]?.strings == ["heartRate"])
    let waiting = try await owner.ask("Grants1", "List")[0].array?.compactMap(\.properties) ?? []
    #expect(waiting.map { $0["decision"]?.string } == ["notDetermined", "notDetermined"])
    try await owner.decide(share: ["stepCount"])
    #expect(try await game.ask("Authorization1", "Status", [.string("stepCount")])[0].string == "sharingAuthorized")
    try await owner.decide(false, read: ["heartRate"])
    #expect(try await answer == [.string("decided")])
    #expect(try await game.ask("Authorization1", "Status", [.string("heartRate")])[0].string == "notDetermined")
    let list = try await owner.ask("Grants1", "List")[0].array?.compactMap(\.properties) ?? []
    #expect(list.map { $0["decision"]?.string } == ["denied", "allowed"])
    await stage.end()
  }

  @Test("what is revoked, over the bus or in the store, ends live values at once")
  func revoked() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(read: ["heartRate"])
    let game = try await stage.connectGame()
    var signals = await game.signals("Live1").makeAsyncIterator()
    _ = try await game.ask("Live1", "Subscribe", [.strings([])])
    stage.send([0x16, 61, 0, 4])
    #expect(await signals.next("Measurement")?.body[3].uint16 == 61)
    let removed = try await owner.ask(
      "Grants1", "Revoke", [.uint32(getuid()), .string(DoorStage.game), .strings([]), .strings([]), .properties([:])])
    #expect(removed == [.uint32(1)])
    await stage.until { !$0.recorder.observers.want(.measurements) }
    stage.send([0x16, 62, 0, 4])
    // Another process allows it again, as `sensord grants` does to a store.
    let file = try HealthStore.open(stage.store, for: .writing)
    try await file.decide([
      Grant(
        client: DoorStage.gameClient, type: "heartRate", permission: .read, decision: .allowed,
        decided: Timestamp(microseconds: 1))
    ])
    await file.close()
    await stage.until { $0.recorder.observers.want(.measurements) }
    stage.send([0x16, 63, 0, 4])
    let value = await signals.next("Measurement")
    #expect(value?.body[3].uint16 == 63 && value?.body[1].uint64 == 2)
    #expect(value?.body[4].array == [], "intervals were never allowed")
    await stage.end()
  }

  @Test("what makes no sense is refused with an error of its own, and the door goes on")
  func refusals() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    func words(_ word: String) -> String { "org.freedesktop.DBus.Error.\(word)" }
    #expect(await client.refusal("Live1", "Subscribe", [.string("x")]) == words("InvalidArgs"))
    #expect(await client.refusal("Live1", "Subscribe") == words("InvalidArgs"))
    #expect(await client.refusal("Live1", "Measurement") == words("UnknownMethod"))
    #expect(await client.refusal("Live2", "Subscribe") == words("UnknownInterface"))
    #expect(await client.refusal("Live1", "Subscribe", [.strings(["strap"])]) == "org.sensord.Error.InvalidSensor")
    #expect(
      await client.refusal("Authorization1", "Status", [.string("nonsense")]) == "org.sensord.Error.UnknownType")
    let long = String(repeating: "a", count: 10_000_000)
    for name in [long, "a\u{1B}[2J", ""] {
      #expect(
        await client.refusal("Authorization1", "Identify", [.string(name), .properties([:])])
          == "org.sensord.Error.InvalidApplication")
    }
    _ = try await client.ask("Authorization1", "Identify", [.string(DoorStage.game), .properties([:])])
    #expect(
      await client.refusal("Authorization1", "Identify", [.string(DoorStage.game), .properties([:])])
        == "org.sensord.Error.AlreadyIdentified")
    #expect(await client.refusal("Grants1", "List") == "org.sensord.Error.NotAuthorized")
    #expect(
      await client.refusal(
        "Grants1", "Revoke", [.uint32(0), .string("x"), .strings([]), .strings([]), .properties([:])])
        == "org.sensord.Error.NotAuthorized")
    await stage.end()
  }

  @Test("who calls too often is refused, and others are not")
  func flood() async throws {
    var limits = ClientLimits()
    limits.callsPerSecond = 10
    let stage = try await DoorStage(limits: limits)
    let (flood, other) = (try await stage.connect(), try await stage.connect())
    _ = try await flood.ask("Live1", "Unsubscribe")
    let refused = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<1_000 { group.addTask { await flood.refusal("Live1", "Unsubscribe") } }
      return await group.reduce(into: 0) { count, name in
        if name == "org.sensord.Error.LimitsExceeded" { count += 1 }
      }
    }
    #expect(refused > 0)
    #expect(await other.refusal("Live1", "Unsubscribe") == nil)
    await stage.end()
  }

  @Test("of a client that vanishes with a request nothing is left")
  func vanished() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    _ = try await owner.ask("Grants1", "List")
    let game = try await stage.connectGame()
    let asking = Task {
      try await game.ask("Authorization1", "Request", [.strings([]), .strings(["heartRate"])])
    }
    _ = await requested.next("Requested")
    await game.close()
    _ = await asking.result
    await stage.until { $0.registry.names.count == 1 && $0.requests.isEmpty }
    #expect(try await owner.ask("Grants1", "List") == [.array([], of: "a{sv}")])
    await stage.end()
  }

  @Test("when the bus is back the door opens again")
  func restart() async throws {
    let stage = try await DoorStage()
    let count = stage.log.all.count
    stage.bus.kill()
    try stage.bus.start()
    await stage.log.wait(after: count) { $0.contains("open to other programs") }
    let client = try await stage.connect()
    #expect(try await client.ask("Manager1", "ListSensors")[0].array?.count == 2)
    await stage.end()
  }

  @Test("where another program has the name one line says so, and the door opens when it is free")
  func taken() async throws {
    let bus = try PrivateBus()
    let loop = try EventLoop.startThread(named: "squatter")
    let squatter = try await Connection.open(.address(bus.address), on: loop)
    #expect(try await squatter.requestName("org.sensord"))
    let stage = try await DoorStage(on: bus, isOpen: false)
    await stage.log.wait { $0.contains("another program owns org.sensord") }
    #expect(stage.log.all.count == 1)
    #expect(await stage.recorder.status().state != .stopping)
    try await squatter.releaseName("org.sensord")
    await stage.log.wait { $0.contains("open to other programs") }
    #expect(try await squatter.ask("Manager1", "ListSensors")[0].array?.count == 2)
    await stage.end()
    loop.stop()
  }

  @Test("where the bus does not let it own the name one line says what to do, and recording goes on")
  func forbidden() async throws {
    let stage = try await DoorStage(on: PrivateBus(rules: #"<deny own="org.sensord"/>"#), isOpen: false)
    await stage.log.wait { $0.contains("install sensord's D-Bus policy") }
    #expect(stage.log.all.count == 1)
    #expect(await stage.recorder.status().state != .stopping)
    await stage.end()
  }

  @Test("a policy that the bus reads only when the recorder runs opens the door, as while a package is installed")
  func allowedLate() async throws {
    let bus = try PrivateBus(rules: #"<deny own="org.sensord"/>"#)
    let stage = try await DoorStage(on: bus, isOpen: false)
    while await stage.door.denials == 0 { try await Task.sleep(for: .milliseconds(10)) }
    try bus.allowAll()
    let administrator = try await stage.connect()
    _ = try await administrator.call(
      .call(
        "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "ReloadConfig"))
    await stage.log.wait { $0.contains("open to other programs") }
    // A package that was just installed needs no remedy.
    #expect(stage.log.all.count == 1)
    #expect(try await administrator.ask("Manager1", "ListSensors")[0].array?.count == 2)
    await stage.end()
  }

  @Test("a door that was never opened is closed at once")
  func neverOpened() async throws {
    let stage = try await DoorStage(isOpen: false)
    let door = try Door(
      DoorSettings(bus: .address(stage.bus.address), owners: Owners(uid: 0), version: "1"), of: stage.recorder)
    await door.close()
    await stage.end()
  }

  @Test("what a program of another user asked for before it said who it is, it has asked for as that application")
  func identifiedLate() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    _ = try await owner.ask("Grants1", "List")
    try await owner.decide(read: ["heartRate"], uid: 4_000_000)
    let game = try await stage.connectStranger(uid: 4_000_000)
    async let asked = game.ask("Authorization1", "Request", [.strings([]), .strings(["heartRate"])])
    #expect(await requested.next("Requested")?.body.first?.properties?["application"]?.string == "unnamed")
    _ = try await game.ask("Authorization1", "Identify", [.string(DoorStage.game), .properties([:])])
    #expect(try await asked == [.string("decided")])
    await stage.end()
  }

  @Test(
    "a subscriber that does not answer pings is sent nothing until it does, and the next value says how many it lacks")
  func stopped() async throws {
    var limits = ClientLimits()
    (limits.silence, limits.patience, limits.signalsPerSecond) = (0, 50_000, 1_000_000)
    let stage = try await DoorStage(limits: limits)
    let loop = try EventLoop.startThread(named: "stopped")
    let client = try await stage.connect(on: loop)
    var signals = await client.signals("Live1").makeAsyncIterator()
    _ = try await client.ask("Live1", "Subscribe", [.strings([])])
    stage.send([0x16, 60, 0, 4])
    #expect(await signals.next("Measurement")?.body[1].uint64 == 1)
    let name = await client.uniqueName
    let halt = Halt(loop)
    await stage.until { door in
      stage.send([0x16, 61, 0, 4])
      return door.registry.isPaused(name)
    }
    halt.end()
    await stage.until { !$0.registry.isPaused(name) }
    stage.send([0x16, 62, 0, 4])
    var (last, missed): (UInt64, UInt64) = (1, 0)
    while let value = await signals.next("Measurement") {
      let lacks = value.body[5].properties?["missed"]?.uint64 ?? 0
      #expect(value.body[1].uint64 == last + lacks + 1)
      last += lacks + 1
      missed += lacks
      if value.body[3].uint16 == 62 { break }
    }
    #expect(missed > 0)
    await stage.end()
    loop.stop()
  }

  @Test("an error of the bus is no answer to a ping")
  func undeliveredPings() async throws {
    var limits = ClientLimits()
    (limits.silence, limits.patience, limits.signalsPerSecond) = (0, 50_000, 1_000_000)
    let rule = #"<deny send_interface="org.freedesktop.DBus.Peer" send_member="Ping"/>"#
    let stage = try await DoorStage(on: PrivateBus(rules: rule), limits: limits)
    let client = try await stage.connect()
    _ = try await client.ask("Live1", "Subscribe", [.strings([])])
    let name = await client.uniqueName
    await stage.until { door in
      stage.send([0x16, 61, 0, 4])
      return door.registry.isPaused(name)
    }
    await stage.end()
  }

  @Test("where the door was too slow for the recorder it asks again what the sensors do")
  func overflow() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    var signals = await client.signals("Live1").makeAsyncIterator()
    _ = try await client.ask("Live1", "Subscribe", [.strings(["\(DoorStage.strap)"])])
    stage.send([0x16, 60, 0, 4])
    while let state = await signals.next("State"), state.body[1].string != "measuring" {}
    let halt = Halt(stage.door.loop)
    // The other strap's values push this out of what waits for the door.
    stage.happen {
      $0.record(.disconnected(reason: nil), of: DoorStage.strap, at: BootInstant(microseconds: BootClock.now()))
      $0.publishStatus()
    }
    for _ in 0..<3_000 { stage.send([0x16, 61, 0, 4], from: DoorStage.other) }
    _ = await stage.recorder.status()
    halt.end()
    while let state = await signals.next("State"), state.body[1].string != "linkLost" {}
    await stage.end()
  }

  @Test("nobody who asked before the bus went is answered on the next one")
  func restartAsked() async throws {
    let stage = try await DoorStage()
    let loop = try EventLoop.startThread(named: "asks")
    let client = try await stage.connect(on: loop)
    _ = try await client.ask("Live1", "Unsubscribe")
    let halt = Halt(stage.recorder.loop)
    async let answer = client.refusal("Manager1", "ListSensors")
    await stage.until { $0.statusWaiters.count == 1 }
    let count = stage.log.all.count
    stage.bus.kill()
    await stage.until { $0.statusWaiters.isEmpty }
    try stage.bus.start()
    await stage.log.wait(after: count) { $0.contains("open to other programs") }
    halt.end()
    _ = await answer
    await stage.end()
    loop.stop()
  }

  @Test("a recorder that has ended no longer watches its store")
  func watchOfEnded() async throws {
    let stage = try await DoorStage()
    #expect(await stage.recorder.seesChangesByOthers)
    await stage.endRecorder()
    #expect(await !stage.recorder.seesChangesByOthers)
    await stage.end()
  }

  @Test("subscribers are told that the recorder ends")
  func stopping() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    var signals = await client.signals("Live1").makeAsyncIterator()
    _ = try await client.ask("Live1", "Subscribe", [.strings(["\(DoorStage.strap)"])])
    #expect(await signals.next("State")?.body[0].string == "\(DoorStage.strap)")
    stage.door.recorderStops()
    let state = await signals.next("State")
    #expect(state?.body[0].string == "" && state?.body[1].string == "recorderStopping")
    await stage.end()
  }
}
