import DBus
import Door
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Ingestion

@Suite("Sessions of clients at the door", .timeLimit(.minutes(5)))
struct DoorSessionTests {
  private static let sharing = [
    Grant(
      client: DoorStage.gameClient, type: "heartRate", permission: .share, decision: .allowed,
      decided: Timestamp(microseconds: 0))
  ]
  private static let reading = [
    Grant(
      client: DoorStage.gameClient, type: "heartRate", permission: .read, decision: .allowed,
      decided: Timestamp(microseconds: 0))
  ]
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

  /// Sends values with these rates.
  private static func send(_ rates: ClosedRange<UInt8>, _ stage: DoorStage, from strap: SensorAddress = DoorStage.strap)
  {
    for rate in rates { stage.send([0x16, rate, 0, 4], from: strap) }
  }

  private static func begin(
    _ client: Connection, _ options: [String: Value] = [:]
  ) async throws -> ObjectPath {
    try #require(try await client.ask("Manager1", "BeginSession", [.properties(options)])[0].objectPath)
  }

  @Test("a game's session holds exactly what the strap sent between its beginning and its end, with what the game says")
  func game() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    Self.send(60...69, stage)
    let said = Value.properties(["title": .string("Hot dogs"), "level": .int32(1)])
    let path = try await Self.begin(game, ["metadata": said])
    #expect(path.parent == "/org/sensord/session")
    Self.send(70...99, stage)
    _ = try await game.ask("Session1", "AddMetadata", [.properties(["level": .int32(2)])], at: path)
    _ = try await game.ask("Session1", "AddMarker", [.int64(0), .string("bonus")], at: path)
    let answer = try await game.ask("Session1", "End", at: path)[0].properties ?? [:]
    Self.send(100...104, stage)
    #expect(answer["stored"]?.boolean == true)
    let id = try #require(answer["id"]?.string.flatMap { UUID(uuidString: $0) })
    let start = try #require(answer["start_us"]?.int64)
    #expect(try #require(answer["end_us"]?.int64) > start)
    let store = try HealthStore.open(stage.store, for: .reading)
    #expect(try await store.rates(of: id).map(\.beatsPerMinute) == (70...99).map { UInt16($0) })
    #expect(try await store.markers(of: id).map(\.text) == ["bonus"])
    let found = try await SampleQuery(.metadata("title", .equal, "Hot dogs")).result(for: store).value
    #expect(Set(found.map(\.type.identifier)) == ["heartRate", "heartbeatSeries"])
    #expect(found.allSatisfy { $0.metadata == ["title": "Hot dogs", "level": 2] })
    #expect(try await store.session(id.uuidString).metadata["requestedBy"] == .text(DoorStage.gameClient.source))
    #expect(await game.refusal("Session1", "End", at: path) == Self.unknownObject)
    await store.close()
    await stage.end()
    let whole = try HealthStore.open(stage.store, for: .reading)
    let all = try await whole.sessions()
    #expect(all.map(\.heartRate.count).sorted() == [15, 30])
  }

  @Test("who may only save learns no sensor: not which there are, nor whether there are none or several")
  func addresses() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let owner = try await stage.connect()
    let game = try await stage.connectGame()
    let none = await game.failure("Manager1", "BeginSession", [.properties([:])])
    #expect(none?.name == "org.sensord.Error.NoSensor" && none?.message.contains("C0:FF") == false)
    let toOwner = await owner.failure("Manager1", "BeginSession", [.properties([:])])
    #expect(toOwner?.name == none?.name && toOwner?.message.contains("\(DoorStage.strap)") == true)
    Self.send(60...60, stage)
    Self.send(60...60, stage, from: DoorStage.other)
    let several = await game.failure("Manager1", "BeginSession", [.properties([:])])
    #expect(several?.name == none?.name && several?.message == none?.message)
    let severalToOwner = await owner.failure("Manager1", "BeginSession", [.properties([:])])
    #expect(severalToOwner?.name == "org.sensord.Error.SeveralSensors")
    #expect(severalToOwner?.message.contains("\(DoorStage.strap), \(DoorStage.other)") == true)
    for name in ["\(DoorStage.strap)", "C0:FF:EE:00:00:99"] {
      #expect(
        await game.refusal("Manager1", "BeginSession", [.properties(["sensor": .string(name)])])
          == "org.sensord.Error.NotAuthorized")
    }
    #expect(
      await owner.refusal("Manager1", "BeginSession", [.properties(["sensor": .string("C0:FF:EE:00:00:99")])])
        == "org.sensord.Error.UnknownSensor")
    await stage.end()
  }

  @Test("a session is shown to its own program and to owners; to others it is as if there were none")
  func foreign() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    Self.send(60...60, stage)
    let path = try await Self.begin(game, ["endWithClient": .boolean(false)])
    let other = try await stage.connect()
    _ = try await other.ask("Authorization1", "Identify", [.string("org.example.Other"), .properties([:])])
    let absent = "/org/sensord/session/0f6a1c52_9d1e_4a35_8c1b_2b8f5a7e9d01" as ObjectPath
    let refusals = [
      await other.failure("Session1", "End", at: path), await other.failure("Session1", "End", at: absent),
      await other.failure("Session1", "Nothing", at: path), await other.failure("Session9", "End", at: path),
    ]
    #expect(Set(refusals.map { $0?.name }) == [Self.unknownObject])
    #expect(Set(refusals.map { $0?.message }).count == 1)
    #expect(try await other.introspect(path) == nil)
    #expect(try await other.introspect("/org/sensord/session")?.contains("<node name=\"") == false)
    let owner = try await stage.connect()
    for client in [game, owner] {
      #expect(try await client.introspect("/org/sensord/session")?.contains(path.lastElement) == true)
      #expect(try await client.introspect(path)?.contains("org.sensord.Session1") == true)
    }
    // Values are not for who may only save.
    let shown = try await game.properties(at: path)
    #expect(shown["Sensor"] == .string("") && shown["State"] == .string("open"))
    #expect(shown["Id"]?.string.flatMap { UUID(uuidString: $0) } != nil && shown["Start"]?.int64 != nil)
    #expect(try await owner.properties(at: path)["Sensor"] == .string("\(DoorStage.strap)"))
    // The program is gone, and another connection of it ends the session.
    await game.close()
    let again = try await stage.connectGame()
    #expect(await again.refusal("Manager1", "BeginSession", [.properties([:])]) == "org.sensord.Error.Busy")
    #expect(try await again.ask("Session1", "End", at: path)[0].properties?["stored"]?.boolean == false)
    await stage.end()
  }

  @Test("an owner ends any session")
  func owner() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let (game, owner) = (try await stage.connectGame(), try await stage.connect())
    Self.send(60...60, stage)
    let path = try await Self.begin(game)
    Self.send(61...62, stage)
    #expect(try await owner.ask("Session1", "End", at: path)[0].properties?["stored"]?.boolean == true)
    #expect(await game.refusal("Session1", "AddMarker", [.int64(0), .string("x")], at: path) == Self.unknownObject)
    await stage.end()
  }

  @Test("the session of a program that is gone ends with it, and that of one whose permission is taken back at once")
  func ends() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: ["heartRate"])
    var events = stage.recorder.events(.sessions).makeAsyncIterator()
    func ended() async -> SessionEndReason? {
      while let event = await events.next() {
        if case .sessionEnded(let reason) = event.kind { return reason }
      }
      return nil
    }
    Self.send(60...60, stage)
    let game = try await stage.connectGame()
    _ = try await Self.begin(game)
    Self.send(61...63, stage)
    await game.close()
    #expect(await ended() == .clientGone)
    let second = try await stage.connectGame()
    Self.send(64...64, stage)
    let path = try await Self.begin(second)
    Self.send(65...66, stage)
    _ = try await owner.ask(
      "Grants1", "Revoke", [.uint32(getuid()), .string(DoorStage.game), .strings([]), .strings([]), .properties([:])])
    #expect(await ended() == .request)
    #expect(await second.refusal("Session1", "End", at: path) == Self.unknownObject)
    #expect(
      await second.refusal("Manager1", "BeginSession", [.properties([:])]) == "org.sensord.Error.NotAuthorized")
    await stage.end()
    let store = try HealthStore.open(stage.store, for: .reading)
    let reasons = try await store.sessions().map(\.endReason)
    #expect(reasons.contains("clientGone"))
    #expect(try await store.sessions().map(\.heartRate.count).reduce(0, +) == 7)
  }

  @Test("an owner begins a session of every sensor with one call, and no other program does")
  func all() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing + Self.reading)
    let owner = try await stage.connect()
    let game = try await stage.connectGame()
    #expect(await owner.refusal("Manager1", "BeginSessions", [.properties([:])]) == "org.sensord.Error.NoSensor")
    Self.send(60...60, stage)
    Self.send(60...60, stage, from: DoorStage.other)
    let options: [String: Value] = [
      "endWithClient": .boolean(false), "metadata": .properties(["title": .string("Class")]),
    ]
    #expect(
      await game.refusal("Manager1", "BeginSessions", [.properties(options)]) == "org.sensord.Error.NotAuthorized")
    let wrong: [String: Value] = ["sensor": .string("\(DoorStage.strap)")]
    #expect(
      await owner.refusal("Manager1", "BeginSessions", [.properties(wrong)]) == "org.sensord.Error.InvalidArgument")
    let paths = try #require(try await owner.ask("Manager1", "BeginSessions", [.properties(options)])[0].objectPaths)
    let sensors = try await [owner.properties(at: paths[0])["Sensor"], owner.properties(at: paths[1])["Sensor"]]
    #expect(paths.count == 2 && sensors == [.string("\(DoorStage.strap)"), .string("\(DoorStage.other)")])
    #expect(await owner.refusal("Manager1", "BeginSessions", [.properties(options)]) == "org.sensord.Error.Busy")
    let end: [Value] = [.objectPaths(paths), .properties([:])]
    // An owner's are not there for a program, which has none of its own.
    #expect(await game.refusal("Manager1", "EndSessions", end) == Self.unknownObject)
    #expect(
      await owner.refusal("Manager1", "EndSessions", [.objectPaths(paths), .properties(["at": .int64(0)])])
        == "org.sensord.Error.InvalidArgument")
    Self.send(61...61, stage)
    let ended = try await owner.ask("Manager1", "EndSessions", end)[0]
    guard case .array(let values, _) = ended else {
      Issue.record("\(ended)")
      return
    }
    #expect(values.map { $0.properties?["stored"]?.boolean } == [true, false])
    // Where one of them is not there, none ends.
    let next = try await Self.begin(owner, wrong)
    #expect(
      await owner.refusal("Manager1", "EndSessions", [.objectPaths([next, paths[0]]), .properties([:])])
        == Self.unknownObject)
    #expect(try await owner.properties(at: next)["State"] == .string("open"))
    await stage.end()
  }

  @Test("where the end cannot be stored it says so, and can be asked for again")
  func notStored() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    Self.send(60...60, stage)
    let path = try await Self.begin(game)
    Self.send(61...62, stage)
    await stage.recorder.closeStore()
    #expect(await game.refusal("Session1", "End", at: path) == "org.sensord.Error.NotStored")
    #expect(try await game.properties(at: path)["State"] == .string("ending"))
    #expect(await game.refusal("Session1", "End", at: path) == "org.sensord.Error.NotStored")
    await stage.end()
  }

  @Test("what makes no sense or is too large is refused by name, and none of it is repeated")
  func refusals() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing + Self.reading)
    let game = try await stage.connectGame()
    Self.send(60...60, stage)
    func begin(_ options: [String: Value]) async -> String? {
      await game.refusal("Manager1", "BeginSession", [.properties(options)])
    }
    let large = Value.string(String(repeating: "secret", count: 1 << 20))
    #expect(await begin(["sensor": .string("strap")]) == "org.sensord.Error.InvalidSensor")
    #expect(await begin(["color": .string("red")]) == "org.sensord.Error.InvalidArgument")
    #expect(await begin(["endWithClient": .string("yes")]) == "org.sensord.Error.InvalidArgument")
    #expect(await begin(["metadata": .properties(["a": .strings([])])]) == "org.sensord.Error.InvalidMetadata")
    #expect(await begin(["metadata": .properties(["a": large])]) == "org.sensord.Error.TooLarge")
    let forged = Value.properties(["requestedBy": .string("x")])
    #expect(await begin(["metadata": forged]) == "org.sensord.Error.InvalidMetadata")
    let path = try await Self.begin(game, ["sensor": .string("\(DoorStage.strap)")])
    for (time, text, name) in [
      (Int64.max, "x", "InvalidTime"), (1, "x", "InvalidTime"), (0, String(repeating: "x", count: 2_000), "TooLarge"),
    ] {
      let failure = await game.failure("Session1", "AddMarker", [.int64(time), .string(text)], at: path)
      #expect(failure?.name == "org.sensord.Error.\(name)" && failure?.message.contains("xx") == false)
    }
    #expect(
      await game.refusal("Session1", "AddMetadata", [.properties(["a": large])], at: path)
        == "org.sensord.Error.TooLarge")
    #expect(try await game.properties(at: path)["Sensor"] == .string("\(DoorStage.strap)"))
    await stage.end()
  }
}

extension Recorder {
  fileprivate func closeStore() async {
    await files?.store.close()
  }
}
