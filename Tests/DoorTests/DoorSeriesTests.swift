import DBus
import Door
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

@testable import Ingestion

@Suite("Series of clients at the door", .timeLimit(.minutes(5)))
struct DoorSeriesTests {
  private static let start: Int64 = 1_790_000_000_000_000
  private static let sharing = ["bodyMass", "heartRateVariabilitySDNN"].map {
    Grant(
      client: DoorStage.gameClient, type: $0, permission: .share, decision: .allowed,
      decided: Timestamp(microseconds: 0))
  }

  private static func values(_ values: [(Int64, Int64, Double)]) -> Value {
    .array(
      values.map { .structure([.int64(start + $0.0), .int64(start + $0.1), .double($0.2)]) }, of: "(xxd)")
  }

  private static func beats(_ beats: [(Int64, Bool)]) -> Value {
    .array(beats.map { .structure([.int64($0.0), .boolean($0.1)]) }, of: "(xb)")
  }

  private static func begin(
    _ client: Connection, _ type: String = "bodyMass", _ options: [String: Value] = [:]
  ) async throws -> ObjectPath {
    try #require(
      try await client.ask("HealthStore1", "NewQuantitySeries", [.string(type), .int64(start), .properties(options)])[0]
        .objectPath)
  }

  /// What the store has of these types when the recorder has ended.
  private static func samples(_ stage: DoorStage, _ source: String) async throws -> [HealthSample] {
    let store = try HealthStore.open(stage.store, for: .reading)
    return try await SampleQuery(.source(source)).result(for: store).value
  }

  @Test("values and heartbeats that a program inserts are stored as its own when it completes them")
  func finished() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    let mass = try await Self.begin(
      game, "bodyMass",
      [
        "unit": .string("g"), "metadata": .properties(["room": .string("hall")]),
        "device": .properties(["name": .string("Scale")]),
      ])
    #expect(mass.parent == "/org/sensord/series")
    _ = try await game.ask("QuantitySeries1", "Insert", [Self.values([(1, 1, 72_000), (2, 2, 72_500)])], at: mass)
    let id = try await game.ask(
      "QuantitySeries1", "Finish", [.int64(Self.start + 9), .properties(["level": .int64(3)])], at: mass)[0].string
    let beats = try #require(
      try await game.ask(
        "HealthStore1", "NewHeartbeatSeries", [.int64(Self.start), .properties(["timescale": .int32(1000)])])[0]
        .objectPath)
    _ = try await game.ask("HeartbeatSeries1", "Add", [Self.beats([(0, false), (800, false)])], at: beats)
    _ = try await game.ask("HeartbeatSeries1", "Add", [Self.beats([(2_400, true)])], at: beats)
    _ = try await game.ask("HeartbeatSeries1", "Finish", [.int64(0), .properties([:])], at: beats)
    let samples = try await Self.samples(stage, DoorStage.gameClient.source)
    #expect(samples.map(\.type.identifier).sorted() == ["bodyMass", "heartbeatSeries"])
    let sample = try #require(samples.first { $0.type.identifier == "bodyMass" })
    #expect(sample.id.uuidString.lowercased() == id)
    #expect(sample.count == 2 && sample.end.microseconds == Self.start + 9)
    #expect(sample.metadata == ["room": "hall", "level": 3] && sample.device?.name == "Scale")
    let again = await game.refusal("QuantitySeries1", "Finish", [.int64(0), .properties([:])], at: mass)
    #expect(again?.hasSuffix("UnknownObject") == true)
    await stage.end()
  }

  @Test("a program that is gone has its series stored up to the last value, marked; a discarded one is nowhere")
  func interrupted() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    let path = try await Self.begin(game)
    _ = try await game.ask("QuantitySeries1", "Insert", [Self.values([(1, 2, 72)])], at: path)
    let discarded = try await Self.begin(game)
    _ = try await game.ask("QuantitySeries1", "Insert", [Self.values([(1, 2, 73)])], at: discarded)
    _ = try await game.ask("QuantitySeries1", "Discard", at: discarded)
    await game.close()
    await stage.end()
    let samples = try await Self.samples(stage, DoorStage.gameClient.source)
    #expect(samples.map(\.count) == [1] && samples.first?.metadata == ["interrupted": true])
  }

  @Test("revoking ends it at once: stored up to there, and nothing more is taken")
  func revoked() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: ["bodyMass"])
    let game = try await stage.connectGame()
    let path = try await Self.begin(game)
    _ = try await game.ask("QuantitySeries1", "Insert", [Self.values([(1, 1, 72)])], at: path)
    try await owner.decide(false, share: ["bodyMass"])
    #expect(
      await game.refusal("QuantitySeries1", "Insert", [Self.values([(2, 2, 73)])], at: path)?.hasSuffix("UnknownObject")
        == true)
    await stage.end()
    let samples = try await Self.samples(stage, DoorStage.gameClient.source)
    #expect(samples.map(\.count) == [1] && samples.first?.metadata == ["interrupted": true])
  }

  @Test("another program's series is as if it were not there, and owners see and end it")
  func foreign() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    let path = try await Self.begin(game)
    let other = try await stage.connect()
    _ = try await other.ask("Authorization1", "Identify", [.string("org.example.Other"), .properties([:])])
    let absent = "/org/sensord/series/0f6a1c52_9d1e_4a35_8c1b_2b8f5a7e9d01" as ObjectPath
    let refusals = [
      await other.failure("QuantitySeries1", "Discard", at: path),
      await other.failure("QuantitySeries1", "Discard", at: absent),
    ]
    #expect(refusals[0] == refusals[1] && refusals[0]?.name.hasSuffix("UnknownObject") == true)
    #expect(try await other.introspect("/org/sensord/series")?.contains("<node name=\"") == false)
    let owner = try await stage.connect()
    #expect(try await owner.introspect("/org/sensord/series")?.contains(path.lastElement) == true)
    #expect(try await owner.introspect(path)?.contains("org.sensord.QuantitySeries1") == true)
    _ = try await owner.ask("QuantitySeries1", "Discard", at: path)
    await stage.end()
  }

  @Test("what is not valid is refused by name, without its values, and what was inserted before stays")
  func refusals() async throws {
    let stage = try await DoorStage(inAdvance: Self.sharing)
    let game = try await stage.connectGame()
    func new(_ type: String, _ time: Int64, _ options: [String: Value]) async -> String? {
      await game.refusal("HealthStore1", "NewQuantitySeries", [.string(type), .int64(time), .properties(options)])
    }
    func word(_ word: String) -> String { "org.sensord.Error.\(word)" }
    #expect(await new("mood", 0, [:]) == word("UnknownType"))
    #expect(await new("stepCount", 0, [:]) == word("NotAuthorized"))
    #expect(await new("bodyMass", 0, ["unit": .string("degC")]) == word("InvalidUnit"))
    #expect(await new("bodyMass", 0, ["unit": .string("stone age")]) == word("InvalidUnit"))
    #expect(await new("bodyMass", .max, [:]) == word("InvalidTime"))
    #expect(await new("bodyMass", 0, ["color": .string("red")]) == word("InvalidArgument"))
    let forged = Value.properties(["interrupted": .boolean(false)])
    #expect(await new("bodyMass", 0, ["metadata": forged]) == word("InvalidMetadata"))
    #expect(
      await game.refusal("HealthStore1", "NewHeartbeatSeries", [.int64(0), .properties(["timescale": .int32(0)])])
        == word("InvalidArgument"))
    let path = try await Self.begin(game)
    func insert(_ values: [(Int64, Int64, Double)]) async -> (name: String, message: String)? {
      await game.failure("QuantitySeries1", "Insert", [Self.values(values)], at: path).map { ($0.name, $0.message) }
    }
    #expect(await insert([(5, 4, 72.25)])?.name == word("EndBeforeStart"))
    #expect(await insert([(-1, 4, 72.25)])?.name == word("InvalidTime"))
    #expect(await insert([(1, 4, .nan)])?.name == word("InvalidValue"))
    #expect(await insert([])?.name == word("Empty"))
    #expect(await insert([(1, 4, 1e300)])?.message.contains("e300") == false)
    #expect(await insert((0..<4_097).map { ($0, $0, 72) })?.name == word("TooLarge"))
    func finish(_ end: Int64) async -> String? {
      await game.refusal("QuantitySeries1", "Finish", [.int64(end), .properties([:])], at: path)
    }
    #expect(await finish(0) == word("Empty"))
    #expect(await insert([(1, 4, 72)]) == nil)
    #expect(await finish(Self.start + 3) == word("EndBeforeStart"))
    // It goes on after an end that was refused.
    #expect(await insert([(5, 6, 73)]) == nil)
    #expect(await finish(0) == nil)
    let beats = try #require(
      try await game.ask("HealthStore1", "NewHeartbeatSeries", [.int64(0), .properties([:])])[0].objectPath)
    #expect(
      await game.refusal("HeartbeatSeries1", "Add", [Self.beats([(9, false), (8, false)])], at: beats)
        == word("WrongOrder"))
    await stage.end()
    #expect(try await Self.samples(stage, DoorStage.gameClient.source).map(\.count) == [2])
  }
}
