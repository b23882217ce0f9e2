import DBus
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

@testable import Door

@Suite("The store behind the door")
struct DoorStoreTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private func weight(_ kilograms: Double, at minute: Int64 = 0, metadata: [String: Value] = [:]) -> Value {
    .properties([
      "type": .string("bodyMass"), "start_us": .int64(Self.start.microseconds + minute * 60_000_000),
      "value": .double(kilograms), "unit": .string("kg"), "metadata": .properties(metadata),
    ])
  }

  private func samples(_ values: [Value]) -> [Value] { [.array(values, of: "a{sv}")] }

  /// A store with a day of heart rates of another program's.
  private func fill(_ stage: DoorStage, count: Int = 86_400) async throws {
    let store = try HealthStore.open(stage.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Self.start)
    for index in 0..<count {
      let time = Self.start.advanced(byMicroseconds: Int64(index) * 1_000_000)
      try builder.insert(Double(60 + index % 60), from: time, to: time)
    }
    _ = try await store.save(builder.finish(), as: SourceRevision(identifier: "other", name: "Other"))
    await store.close()
  }

  @Test("a client saves what it may, reads what it saved, and deletes it")
  func own() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let game = try await stage.connectGame()
    #expect(await game.refusal("HealthStore1", "Save", samples([weight(71)])) == "org.sensord.Error.NotAuthorized")
    try await owner.decide(share: ["bodyMass"])
    let ids = try #require(
      try await game.ask(
        "HealthStore1", "Save", samples([weight(71), weight(72, at: 1, metadata: ["note": .string("later")])])
      ).first?.strings)
    #expect(ids.count == 2)
    let lines = try await game.lines(
      "samples", ["predicate": .properties(["metadata": .properties(["note": .string("later")])])])
    #expect(lines.count == 2)
    #expect(lines[0].id == ids[1])
    #expect(lines[0].source?.identifier == "\(DoorStage.game)@\(getuid())")
    #expect(lines[1].complete == true)
    _ = try await game.ask("HealthStore1", "Delete", [.strings([ids[1]])])
    #expect(try await game.lines("samples").compactMap { $0.id } == [ids[0]])
    #expect(await game.refusal("HealthStore1", "Delete", [.strings(ids)]) == "org.sensord.Error.NotFound")
    #expect(try await game.lines("samples").compactMap { $0.id } == [ids[0]])
    await stage.end()
  }

  @Test("a recorder that stops says so, and not that its store is broken")
  func stopping() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let game = try await stage.connectGame()
    try await owner.decide(share: ["bodyMass"], read: ["bodyMass"])
    await stage.endRecorder()
    let name = "org.sensord.Error.NotRecording"
    #expect(await game.refusal("HealthStore1", "Save", samples([weight(71)])) == name)
    #expect(await game.refusal("HealthStore1", "Query", [.string("samples"), .properties([:])]) == name)
    let decision: [Value] = [
      .uint32(getuid()), .string(DoorStage.game), .strings([]), .strings(["stepCount"]), .boolean(true),
      .properties([:]),
    ]
    #expect(await owner.refusal("Grants1", "Decide", decision) == name)
    await stage.end()
  }

  @Test("the same object in a later version replaces the earlier one, in an earlier version it stays")
  func sync() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["bodyMass"])
    let game = try await stage.connectGame()
    func save(_ kilograms: Double, version: Int64) async throws -> String? {
      var sample = weight(kilograms).properties ?? [:]
      sample["sync"] = .structure([.string("scale"), .int64(version)])
      return try await game.ask("HealthStore1", "Save", samples([.properties(sample)])).first?.strings?.first
    }
    let first = try await save(71, version: 2)
    #expect(try await save(70, version: 1) == first)
    let third = try await save(72, version: 3)
    #expect(third != first)
    let lines = try await game.lines("quantities", ["type": .string("bodyMass")])
    #expect(lines.compactMap { $0.value } == [72])
    #expect(lines.first?.sample == third)
    await stage.end()
  }

  /// A route of a workout, a location a second.
  private func route(of workout: UUID, _ count: Int) -> Value {
    let locations = (0..<count).map { index in
      Value.structure(
        [.int64(Self.start.microseconds + Int64(index) * 1_000_000), .double(52.5), .double(13.25)]
          + [34.5, .nan, .nan, 2.5, .nan].map { .double($0) })
    }
    return .properties([
      "type": .string("workoutRoute"), "workout": .string(workout.uuidString.lowercased()),
      "locations": .array(locations, of: "(xddddddd)"),
    ])
  }

  @Test("a client gives a workout that it saved a route, and reads it; to others there is neither")
  func routes() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let game = try await stage.connectGame()
    let span = try #require(TimeSpan(start: Self.start, end: Self.start.advanced(byMicroseconds: 86_400_000_000)))
    let (own, other) = (Workout(.init(.hiking), over: span), Workout(.init(.hiking), over: span))
    let store = try HealthStore.open(stage.store, for: .writing)
    try await store.save(NewSample(own), as: SourceRevision(identifier: "\(DoorStage.game)@\(getuid())", name: "Game"))
    try await store.save(NewSample(other), as: SourceRevision(identifier: "other", name: "Other"))
    await store.close()
    let saved = samples([route(of: own.id, 3)])
    #expect(await game.refusal("HealthStore1", "Save", saved) == "org.sensord.Error.NotAuthorized")
    try await owner.decide(share: ["workoutRoute"])
    let id = try #require(try await game.ask("HealthStore1", "Save", saved).first?.strings?.first)
    let answer = try await game.answer("locations", ["sample": .string(id)])
    #expect(
      answer.hasPrefix(
        #"{"timeMicroseconds":1700000000000000,"latitude":52.5,"longitude":13.25,"altitude":34.5,"speed":2.5}"# + "\n"))
    #expect(answer.split(separator: "\n").count == 4 && answer.hasSuffix("{\"complete\":true}\n"))
    let collected = ["predicate": Value.properties(["collected_in": .string(own.id.uuidString)])]
    #expect(try await game.lines("samples", collected).map(\.id) == [id, nil])
    // Of another program's workout it learns no more than of none.
    for workout in [other.id, UUID()] {
      let refusal = await game.refusal("HealthStore1", "Save", samples([route(of: workout, 3)]))
      #expect(refusal == "org.sensord.Error.NotFound")
    }
    #expect(
      await game.refusal("HealthStore1", "Save", samples([route(of: own.id, 0)])) == "org.sensord.Error.InvalidArgument"
    )
    #expect(
      await game.refusal("HealthStore1", "Save", samples([route(of: own.id, 2_300)]))
        == "org.freedesktop.DBus.Error.LimitsExceeded")
    var outside = route(of: own.id, 1).properties ?? [:]
    outside["locations"] = .array(
      [.structure([.int64(5)] + [Double](repeating: 1, count: 7).map { .double($0) })], of: "(xddddddd)")
    #expect(
      await game.refusal("HealthStore1", "Save", samples([.properties(outside)])) == "org.sensord.Error.InvalidArgument"
    )
    let stranger = try await stage.connect()
    _ = try await stranger.ask("Authorization1", "Identify", [.string("org.example.Other"), .properties([:])])
    let question: [Value] = [.string("locations"), .properties(["sample": .string(id)])]
    #expect(await stranger.refusal("HealthStore1", "Query", question) == "org.sensord.Error.NotFound")
    await stage.end()
  }

  @Test("what another program saved can neither be deleted nor found out about")
  func others() async throws {
    let stage = try await DoorStage()
    try await fill(stage, count: 3)
    let owner = try await stage.connect()
    let id = try #require(try await owner.lines("samples").first?.id)
    let game = try await stage.connectGame()
    #expect(try await game.lines("samples").count == 1)
    #expect(await game.refusal("HealthStore1", "Delete", [.strings([id])]) == "org.sensord.Error.NotFound")
    #expect(
      await game.refusal("HealthStore1", "Query", [.string("heartbeats"), .properties(["sample": .string(id)])])
        == "org.sensord.Error.NotFound")
    #expect(try await owner.lines("samples").count == 2)
    _ = try await owner.ask("HealthStore1", "Delete", [.strings([id])])
    #expect(try await owner.lines("samples").count == 1)
    await stage.end()
  }

  @Test("to who may not read, every answer is byte for byte that of a store with nothing in it")
  func absence() async throws {
    let (full, empty) = (try await DoorStage(), try await DoorStage())
    try await fill(full, count: 5000)
    let (hidden, nothing) = (try await full.connectGame(), try await empty.connectGame())
    let questions: [(String, [String: Value])] = [
      ("samples", [:]), ("samples", ["predicate": .properties(["source": .string("other")])]),
      ("quantities", ["type": .string("heartRate")]),
      ("statistics", ["type": .string("heartRate"), "every": .string("1h")]),
      ("statistics", ["type": .string("heartRate")]), ("changes", [:]),
      ("changes", ["anchor": .string(ChangeAnchor.start.description), "limit": .int64(1)]),
    ]
    for (kind, query) in questions {
      let one = try await hidden.answer(kind, query)
      #expect(one == (try await nothing.answer(kind, query)), "\(kind)")
      #expect(!one.isEmpty)
    }
    await full.end()
    await empty.end()
  }

  @Test("a day of heart rates arrives value by value, in order, through a pipe that holds a fraction of it")
  func day() async throws {
    let stage = try await DoorStage()
    try await fill(stage)
    try await stage.connect().decide(read: ["heartRate"])
    let game = try await stage.connectGame()
    let lines = try await game.lines("quantities", ["type": .string("heartRate")])
    #expect(lines.count == 86_401)
    var isRight = true
    for (index, line) in lines.dropLast().enumerated() {
      let time = Self.start.microseconds + Int64(index) * 1_000_000
      isRight = isRight && line.startMicroseconds == time && line.value == Double(60 + index % 60)
    }
    #expect(isRight)
    let buckets = try await game.lines("statistics", ["type": .string("heartRate"), "every": .string("1h")])
    #expect(buckets.dropLast().reduce(0) { $0 + ($1.count ?? 0) } == 86_400)
    await stage.end()
  }

  @Test("an answer that is being read is cut off when its permission is revoked: its last line is missing")
  func revoked() async throws {
    let stage = try await DoorStage()
    try await fill(stage)
    let owner = try await stage.connect()
    try await owner.decide(read: ["heartRate"])
    let game = try await stage.connectGame()
    // More than a pipe holds: the rest is not sent before this is read.
    let end = try await game.open("quantities", ["type": .string("heartRate")])
    try await owner.decide(false, read: ["heartRate"])
    let text = try await end.text()
    #expect(text.contains("\"value\":60") && !text.contains("complete"))
    #expect(try await game.lines("quantities", ["type": .string("heartRate")]).count == 1)
    await stage.end()
  }

  @Test("a client has four queries at a time; one that it has read, or closed, leaves room")
  func limits() async throws {
    let stage = try await DoorStage()
    try await fill(stage)
    try await stage.connect().decide(read: ["heartRate"])
    let game = try await stage.connectGame()
    var open: [SharedDescriptor] = []
    for _ in 0..<4 { open.append(try await game.open("quantities", ["type": .string("heartRate")])) }
    let question: [Value] = [.string("samples"), .properties([:])]
    #expect(await game.refusal("HealthStore1", "Query", question) == "org.sensord.Error.LimitsExceeded")
    _ = try await open.removeLast().text()
    while await game.refusal("HealthStore1", "Query", question) != nil {}
    open = []
    while true {
      guard let text = try? await game.answer("samples", [:]) else { continue }
      #expect(text.contains("complete"))
      break
    }
    await stage.end()
  }

  @Test("who observes is told of changes that it may read, and counts them by itself")
  func observing() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: ["bodyMass"], read: ["heartRate"])
    let game = try await stage.connectGame()
    var changes = await game.signals("HealthStore1").makeAsyncIterator()
    _ = try await game.ask("HealthStore1", "Observe", [.strings(["heartRate", "stepCount", "bodyMass"])])
    // Calls that come together are all answered, also those that the next one undoes.
    for _ in 0..<20 {
      let other = try await stage.connectGame()
      async let first = other.ask("HealthStore1", "Observe", [.strings(["heartRate"])])
      async let second = other.ask("HealthStore1", "Observe", [.strings([])])
      _ = try await (first, second)
      await other.close()
    }
    // A type that it neither may read nor saved itself: nothing is told, and nothing counted.
    let steps = Value.properties([
      "type": .string("stepCount"), "start_us": .int64(Self.start.microseconds), "value": .double(7),
      "unit": .string("count"),
    ])
    _ = try await owner.ask("HealthStore1", "Save", samples([steps]))
    _ = try await game.ask("HealthStore1", "Save", samples([weight(71)]))
    #expect(await changes.next("Changed")?.body == [.uint64(1)])
    try await fill(stage, count: 3)
    #expect(await changes.next("Changed")?.body == [.uint64(2)])
    let lines = try await game.lines("changes")
    #expect(lines.dropLast().count == 2)
    let anchor = try #require(lines.last?.anchor)
    #expect(anchor.hasPrefix("token:"))
    #expect(try await game.lines("changes", ["anchor": .string(anchor)]).count == 1)
    #expect(
      await game.refusal("HealthStore1", "Query", [.string("changes"), .properties(["anchor": .string("1:2:3")])])
        == "org.sensord.Error.InvalidArgument")
    await stage.end()
  }

  @Test(
    "a wrong question or sample is refused with an error of its own, and nothing is saved",
    arguments: [
      ("Query", [.string("everything"), .properties([:])], "InvalidArgument"),
      ("Query", [.string("samples"), .properties(["limitt": .int64(1)])], "InvalidArgument"),
      ("Query", [.string("quantities"), .properties(["type": .string("nothing")])], "UnknownType"),
      ("Query", [.string("heartbeats"), .properties(["sample": .string(UUID().uuidString)])], "NotFound"),
      (
        "Query", [.string("changes"), .properties(["anchor": .string(ChangeAnchor(token: UUID()).description)])],
        "LostAnchor"
      ),
      ("Delete", [.strings(["no identifier"])], "InvalidArgument"),
      ("Delete", [.strings([UUID().uuidString])], "NotFound"),
      ("Observe", [.strings(["nothing"])], "UnknownType"),
      ("Observe", [.strings(Array(repeating: "heartRate", count: 257))], "LimitsExceeded"),
      ("Save", [.array([.properties(["type": .string("bodyMass")])], of: "a{sv}")], "InvalidArgument"),
      (
        "Save",
        [
          .array(
            [
              .properties([
                "type": .string("bodyMass"), "start_us": .int64(0), "value": .double(1), "unit": .string("m"),
              ])
            ],
            of: "a{sv}")
        ], "InvalidUnit"
      ),
      (
        "Save",
        [
          .array(
            [
              .properties([
                "type": .string("bodyMass"), "start_us": .int64(.max), "value": .double(1), "unit": .string("kg"),
              ])
            ],
            of: "a{sv}")
        ], "InvalidSample"
      ),
      (
        "Save",
        [
          .array(
            [
              .properties([
                "type": .string("bodyMass"), "start_us": .int64(0), "value": .double(.infinity), "unit": .string("kg"),
              ])
            ],
            of: "a{sv}")
        ], "InvalidSample"
      ),
    ] as [(String, [Value], String)])
  func refused(member: String, body: [Value], error: String) async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["bodyMass"], read: ["bodyMass"])
    let game = try await stage.connectGame()
    #expect(await game.refusal("HealthStore1", member, body) == "org.sensord.Error.\(error)")
    #expect(try await game.lines("samples").count == 1)
    await stage.end()
  }
}
