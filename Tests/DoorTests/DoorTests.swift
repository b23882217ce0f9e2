import Clients
import DBus
import Door
import Foundation
import HealthModel
import Sensors
import SeriesStore
import TestSupport
import Testing

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
    if ProcessInfo.processInfo.environment["RECORD_INTROSPECTION"] != nil {
      try live.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("the introspection data were written; read the difference")
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == live)
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
    #expect(!stage.recorder.observers.want([.measurements, .values, .status, .sessions]))
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
    let fence = try await stage.connect()
    // The bus tells the door of the end before it hands over this call.
    _ = try await fence.ask("Manager1", "ListSensors")
    #expect(!stage.recorder.observers.want(.measurements))
    await stage.end()
  }

  @Test("a client that may read sees the sensors; to one that may not there are none")
  func sensors() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let list = try await owner.ask("Manager1", "ListSensors")[0].array?.compactMap(\.properties)
    #expect(list?.map { $0["address"]?.string } == ["\(DoorStage.strap)", "\(DoorStage.other)"])
    #expect(list?.first?["name"]?.string == "Strap" && list?.first?["state"]?.string == "absent")
    #expect(try await owner.property("Version")?.string == "1.2.3")
    stage.send([0x16, 60, 0, 4])
    let game = try await stage.connectGame()
    #expect(try await game.ask("Manager1", "ListSensors") == [.array([], of: "a{sv}")])
    #expect(try await game.property("Recording")?.boolean == false)
    try await owner.decide(read: ["heartRate"])
    #expect(try await game.ask("Manager1", "ListSensors")[0].array?.count == 2)
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
    #expect(!stage.recorder.observers.want(.measurements))
    stage.send([0x16, 62, 0, 4])
    // Another process allows it again, as `sensord grants` does to a store.
    let file = try HealthStore.open(stage.store, for: .writing)
    try await file.decide([
      Grant(
        client: DoorStage.gameClient, type: "heartRate", permission: .read, decision: .allowed,
        decided: Timestamp(microseconds: 1))
    ])
    await file.close()
    #expect(await signals.next("State") != nil)
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
    let stage = try await DoorStage()
    let (flood, other) = (try await stage.connect(), try await stage.connect())
    _ = try await flood.ask("Live1", "Unsubscribe")
    let refused = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<1_000 { group.addTask { await flood.refusal("Live1", "Unsubscribe") } }
      return await group.reduce(into: 0) { count, name in
        if name == "org.sensord.Error.LimitsExceeded" { count += 1 }
      }
    }
    #expect(refused > 500)
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

  @Test("where another program has the name one line says so, and recording goes on")
  func taken() async throws {
    let bus = try PrivateBus()
    let loop = try EventLoop.startThread(named: "squatter")
    let squatter = try await Connection.open(.address(bus.address), on: loop)
    #expect(try await squatter.requestName("org.sensord"))
    let stage = try await DoorStage(on: bus, isOpen: false)
    await stage.log.wait { $0.contains("another program owns org.sensord") }
    #expect(stage.log.all.count == 1)
    #expect(await stage.recorder.status().state != .stopping)
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

  @Test("a door that was never opened is closed at once")
  func neverOpened() async throws {
    let stage = try await DoorStage(isOpen: false)
    let door = try Door(
      DoorSettings(bus: .address(stage.bus.address), owners: Owners(uid: 0), version: "1"), of: stage.recorder)
    await door.close()
    await stage.end()
  }

  @Test("every interface may be called by everybody as the installed policy says, but that of the grants")
  func policy() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let policy = try String(contentsOf: root.appendingPathComponent("systemd/dbus-1/sensord.conf"), encoding: .utf8)
    let ours = DoorInterfaces.objects.flatMap { $0.object.interfaces }.map(\.name)
    for interface in ours where interface != DoorInterfaces.grants.name {
      #expect(policy.contains(#"<allow send_destination="org.sensord" send_interface="\#(interface)"/>"#))
    }
    #expect(!policy.contains(DoorInterfaces.grants.name))
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
