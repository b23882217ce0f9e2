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

@Suite("Workouts of clients at the door", .timeLimit(.minutes(5)))
struct DoorWorkoutTests {
  private static func grants(share: [String] = ["workout", "stepCount"], read: [String] = []) -> [Grant] {
    func grant(_ type: String, _ permission: Permission) -> Grant {
      Grant(
        client: DoorStage.gameClient, type: type, permission: permission, decision: .allowed,
        decided: Timestamp(microseconds: 0))
    }
    return share.map { grant($0, .share) } + read.map { grant($0, .read) }
  }
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  private static let absent = "/org/sensord/workout/0f6a1c52_9d1e_4a35_8c1b_2b8f5a7e9d01" as ObjectPath
  /// Every member with arguments that are in order.
  private static let members: [(String, [Value])] = [
    ("BeginActivity", [.properties([:])]), ("EndActivity", [.int64(0)]),
    ("AddEvent", [.properties(["type": .string("marker")])]), ("Pause", []), ("Resume", []),
    ("Collect", [.strings(["stepCount"]), .strings([])]), ("AddSamples", [.array([], of: "a{sv}")]),
    ("AddMetadata", [.properties(["level": .int32(1)])]), ("Statistics", [.string("heartRate")]),
    ("End", [.properties([:])]), ("Discard", []),
  ]

  private static func word(_ word: String) -> String { "org.sensord.Error.\(word)" }

  private static func begin(_ client: Connection, _ options: [String: Value] = [:]) async throws -> ObjectPath {
    let options = ["activityType": .string("running")].merging(options) { $1 }
    return try #require(try await client.ask("Workouts1", "Begin", [.properties(options)])[0].objectPath)
  }

  private static func steps(_ count: Double, at time: Timestamp) -> Value {
    .array(
      [
        .properties([
          "type": .string("stepCount"), "start_us": .int64(time.microseconds), "value": .double(count),
          "unit": .string("count"),
        ])
      ], of: "a{sv}")
  }

  private static func stored(_ id: UUID, _ stage: DoorStage) async throws -> Workout {
    try await HealthStore.open(stage.store, for: .reading).workout(id)
  }

  /// The identifiers of the workouts that a program is told of.
  private static func told(_ signals: inout AsyncStream<Message>.Iterator) async -> UUID? {
    await signals.next("Stored")?.body[0].string.flatMap { UUID(uuidString: $0) }
  }

  @Test("a program's workout has its strap's values, what the program did and added, and is told when it is stored")
  func whole() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(read: ["heartRate", "stepCount"]), clock: clock.host)
    let (game, second) = (try await stage.connectGame(), try await stage.connectGame())
    var (told, toldToo) = (
      await game.signals("Workout1").makeAsyncIterator(), await second.signals("Workout1").makeAsyncIterator()
    )
    await stage.pass([60], clock)
    let start = clock.time
    let path = try await Self.begin(
      game, ["location": .string("outdoor"), "metadata": .properties(["title": .string("Race")])])
    #expect(path.parent == "/org/sensord/workout")
    await stage.pass([100, 110, 120], clock)
    func ask(_ member: String, _ body: [Value] = []) async throws -> [Value] {
      try await game.ask("Workout1", member, body, at: path)
    }
    func figures(_ type: String = "heartRate") async throws -> [String: Value] {
      try await ask("Statistics", [.string(type)])[0].properties ?? [:]
    }
    var shown = try await game.properties(at: path, "Workout1")
    let id = try #require(shown["Id"]?.string.flatMap { UUID(uuidString: $0) })
    #expect(shown["Sensor"] == .string("\(DoorStage.strap)") && shown["Start"] == .int64(start.microseconds))
    #expect(shown["State"] == .string("running") && shown["Elapsed"] == .int64(3_000_000))
    #expect(shown["Uid"] == .uint32(getuid()) && shown["Application"] == .string(DoorStage.game))
    var heart = try await figures()
    #expect(heart["activity"] == nil && heart["activityType"] == .string("running"))
    let whole = heart["workout"]?.properties
    #expect(whole?["unit"] == .string("count/min") && whole?["average"] == .double(110))
    #expect(whole?["minimum"] == .double(100) && whole?["maximum"] == .double(120) && whole?["sum"] == nil)
    #expect(whole?["mostRecent"] == .double(120) && whole?["duration_us"] == .int64(3_000_000))
    #expect(try await figures("stepCount")["workout"] == nil)

    let first = try await ask("BeginActivity", [.properties([:])])[0].string
    await stage.pass([130, 140], clock)
    _ = try await ask("AddEvent", [.properties(["type": .string("lap"), "metadata": .properties(["n": .int32(1)])])])
    _ = try await ask("Pause")
    #expect(try await game.properties(at: path, "Workout1")["State"] == .string("paused"))
    await stage.pass([200], clock)
    _ = try await ask("Resume")
    heart = try await figures()
    #expect(heart["activity"]?.properties?["average"] == .double(135))
    #expect(heart["activity"]?.properties?["duration_us"] == .int64(2_000_000))
    _ = try await ask("AddMetadata", [.properties(["level": .int32(2)])])
    let added =
      try await ask("AddSamples", [Self.steps(5, at: clock.time.advanced(byMicroseconds: 100_000))])[0].strings ?? []
    _ = try await ask("Collect", [.strings(["stepCount"]), .strings([])])
    _ = try await second.ask("HealthStore1", "Save", [Self.steps(7, at: clock.time.advanced(byMicroseconds: 200_000))])
    await stage.pass([150], clock)
    let steps = try await figures("stepCount")["workout"]?.properties
    #expect(steps?["sum"] == .double(12))
    _ = try await ask("Collect", [.strings([]), .strings(["stepCount"])])
    _ = try await second.ask("HealthStore1", "Save", [Self.steps(9, at: clock.time.advanced(byMicroseconds: 200_000))])
    _ = try await ask("EndActivity", [.int64(0)])
    let later = try await ask(
      "BeginActivity", [.properties(["activityType": .string("running"), "time_us": .int64(clock.time.microseconds)])])[
        0
      ].string
    await stage.pass([160], clock)

    #expect(try await ask("End", [.properties([:])])[0].string == shown["Id"]?.string)
    let end = clock.time
    await stage.pass([90, 80], clock)
    shown = try await game.properties(at: path, "Workout1")
    #expect(shown["State"] == .string("recovering") && shown["Elapsed"] == .int64(7_000_000))
    let failure = await game.failure("Workout1", "Pause", at: path)
    #expect(failure?.name == Self.word("InvalidState") && failure?.message.contains("stopped") == true)
    #expect(try await ask("End", [.properties(["recovery": .boolean(false)])])[0].string == shown["Id"]?.string)
    #expect(await Self.told(&told) == id)
    #expect(await Self.told(&toldToo) == id)
    #expect(await game.refusal("Workout1", "End", [.properties([:])], at: path) == Self.unknownObject)
    #expect(try await game.introspect("/org/sensord/workout")?.contains("<node name=\"") == false)

    let workout = try await Self.stored(id, stage)
    #expect(workout.span == TimeSpan(start: start, end: end) && workout.configuration.location == .outdoor)
    #expect(workout.metadata["title"] == "Race" && workout.metadata["level"] == 2)
    #expect(workout.activities.map { $0.id.uuidString.lowercased() } == [first, later])
    #expect(workout.events.map(\.type) == [.pause, .resume] && workout.activities.first?.events.map(\.type) == [.lap])
    #expect(workout.statistics(for: .heartRate)?.maximum == 160 && workout.statistics(for: .heartRate)?.count == 7)
    #expect(workout.statistics(for: .stepCount)?.sum == 12 && added.count == 1)
    await stage.end()
  }

  @Test("what makes no sense, is too much or comes in a wrong order is refused by name, and nothing of it is kept")
  func refusals() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(
      inAdvance: Self.grants(read: ["heartRate"]), clock: clock.host)
    let (game, owner) = (try await stage.connectGame(), try await stage.connect())
    func begin(_ options: [String: Value], _ client: Connection? = nil) async -> String? {
      await (client ?? game).refusal("Workouts1", "Begin", [.properties(options)])
    }
    let running = Value.string("running")
    #expect(await begin(["activityType": running]) == Self.word("NoSensor"))
    await stage.pass([60], clock)
    #expect(await begin([:]) == Self.word("InvalidArgument"))
    for (key, value) in [
      ("activityType", Value.string("dancing on ice")), ("activityType", .double(1)), ("location", .string("moon")),
      ("swimmingLocation", .string("bath")), ("lapLength", .double(25)),
      ("lapLength", .structure([.double(25), .string("kg")])),
      ("lapLength", .structure([.double(25), .string("mood")])),
      ("lapLength", .structure([.double(50_000), .string("m")])), ("endWithClient", .string("no")),
      ("color", .string("red")), ("sensor", .int32(1)),
    ] {
      let options = ["activityType": running].merging([key: value]) { $1 }
      #expect(await begin(options) == Self.word("InvalidArgument"), "\(key)")
    }
    #expect(await begin(["activityType": running, "sensor": .string("strap")]) == Self.word("InvalidSensor"))
    let unknown = Value.string("C0:FF:EE:00:00:99")
    #expect(await begin(["activityType": running, "sensor": unknown]) == Self.word("UnknownSensor"))
    let forged = Value.properties(["interrupted": .boolean(true)])
    #expect(await begin(["activityType": running, "metadata": forged]) == Self.word("InvalidMetadata"))
    let path = try await Self.begin(game, ["sensor": .string("\(DoorStage.strap)")])
    #expect(await begin(["activityType": running]) == Self.word("Busy"))
    #expect(await game.refusal("Manager1", "BeginSession", [.properties([:])]) == Self.word("NotAuthorized"))
    #expect(await owner.refusal("Manager1", "BeginSession", [.properties([:])]) == Self.word("Busy"))
    await stage.pass([70], clock)

    func refusal(_ member: String, _ body: [Value] = []) async -> String? {
      let failure = await game.failure("Workout1", member, body, at: path)
      #expect(failure?.message.contains("secret") != true)
      return failure?.name.replacingOccurrences(of: "org.sensord.Error.", with: "")
    }
    func event(_ values: [String: Value]) async -> String? { await refusal("AddEvent", [.properties(values)]) }
    let (before, after) = (
      Value.int64(clock.time.microseconds - 60_000_000), Value.int64(clock.time.microseconds + 60_000_000)
    )
    #expect(await refusal("Resume") == "InvalidState")
    #expect(await refusal("EndActivity", [.int64(0)]) == "InvalidState")
    #expect(await refusal("BeginActivity", [.properties(["activityType": .string("cycling")])]) == "InvalidArgument")
    #expect(await refusal("BeginActivity", [.properties(["secret": .string("x")])]) == "InvalidArgument")
    #expect(await refusal("BeginActivity", [.properties(["time_us": before])]) == "InvalidTime")
    #expect(await refusal("BeginActivity", [.properties(["time_us": after])]) == "InvalidTime")
    #expect(await refusal("BeginActivity", [.properties(["metadata": forged])]) == "InvalidMetadata")
    #expect(await event([:]) == "InvalidArgument")
    for type in ["secret", "pause", "resume", "987"] {
      #expect(await event(["type": .string(type)]) == "InvalidArgument")
    }
    #expect(await event(["type": .string("lap"), "start_us": before]) == "InvalidArgument")
    #expect(await event(["type": .string("lap"), "start_us": after, "end_us": before]) == "InvalidArgument")
    #expect(await event(["type": .string("lap"), "start_us": before, "end_us": before]) == "InvalidTime")
    #expect(await event(["type": .string("lap"), "start_us": after, "end_us": after]) == "InvalidTime")
    let large = Value.properties(["a": .string(String(repeating: "secret", count: 1 << 18))])
    #expect(await refusal("AddMetadata", [large]) == "TooLarge")
    #expect(await refusal("AddMetadata", [.properties(["a": .strings([])])]) == "InvalidMetadata")
    #expect(await refusal("Collect", [.strings(["secret"]), .strings([])]) == "UnknownType")
    #expect(await refusal("Collect", [.strings([]), .strings(["heartRate"])]) == "InvalidArgument")
    #expect(await refusal("Collect", [.strings(["workout"]), .strings([])]) == "InvalidArgument")
    #expect(await refusal("Collect", [.strings(["workoutRoute"]), .strings([])]) == "InvalidArgument")
    for type in ["secret", "heartbeatSeries", "workout"] {
      #expect(await refusal("Statistics", [.string(type)]) == "UnknownType")
    }
    let weight = Value.properties([
      "type": .string("bodyMass"), "start_us": before, "value": .double(71), "unit": .string("kg"),
    ])
    #expect(await refusal("AddSamples", [.array([weight], of: "a{sv}")]) == "NotAuthorized")
    #expect(
      await refusal("AddSamples", [.array([.properties(["type": .string("secret")])], of: "a{sv}")])
        == "InvalidArgument")
    let place = Value.structure(
      [.int64(clock.time.microseconds)] + [Double](repeating: 1, count: 7).map { .double($0) })
    let route = Value.properties([
      "type": .string("workoutRoute"), "workout": .string(UUID().uuidString),
      "locations": .array([place], of: "(xddddddd)"),
    ])
    #expect(await refusal("AddSamples", [.array([route], of: "a{sv}")]) == "NotAuthorized")
    try await owner.decide(share: ["workoutRoute"])
    #expect(await refusal("AddSamples", [.array([route], of: "a{sv}")]) == "InvalidArgument")
    #expect(
      await refusal("AddSamples", [.array(Array(repeating: weight, count: 1_001), of: "a{sv}")]) == "LimitsExceeded")
    #expect(
      await owner.refusal("Workout1", "AddSamples", [Self.steps(1, at: clock.time)], at: path)
        == Self.word("NotAuthorized"))
    #expect(await refusal("End", [.properties(["recovery": .int32(0)])]) == "InvalidArgument")
    #expect(await refusal("End", [.properties(["secret": .int32(0)])]) == "InvalidArgument")
    let lap = [
      "type": Value.string("lap"), "start_us": .int64(clock.time.microseconds - 500_000),
      "end_us": .int64(clock.time.microseconds),
    ]
    #expect(await event(lap) == nil)
    #expect(await event(lap) == "InvalidState")
    #expect(try await owner.lines("samples", ["predicate": .properties(["type": .string("stepCount")])]).count == 1)
    let workout = await stage.recorder.runningWorkouts.first
    #expect(
      workout?.session.events.count == 1 && workout?.session.activities.isEmpty == true && workout?.metadata == [:])
    await stage.end()
  }

  @Test("who may not save workouts cannot begin one, and another program's is, byte for byte, as if it were not there")
  func foreign() async throws {
    let stage = try await DoorStage(inAdvance: Self.grants(share: ["workout"]))
    let (game, owner) = (try await stage.connectGame(), try await stage.connect())
    let other = try await stage.connect()
    _ = try await other.ask("Authorization1", "Identify", [.string("org.example.Other"), .properties([:])])
    let options = Value.properties(["activityType": .string("running")])
    func beginnings() async -> [Connection.Failure?] {
      var failures = [await other.failure("Workouts1", "Begin", [options])]
      for sensor in ["", "\(DoorStage.strap)", "C0:FF:EE:00:00:99"] {
        let values = ["activityType": Value.string("running"), "sensor": .string(sensor)]
        failures.append(await other.failure("Workouts1", "Begin", [.properties(values)]))
      }
      return failures
    }
    let none = await beginnings()
    #expect(Set(none.map { $0?.name }) == [Self.word("NotAuthorized")] && Set(none).count == 1)
    stage.send([0x06, 60])
    #expect(await beginnings() == none)
    // It may save workouts, but know of no sensor.
    let named = Value.properties(["activityType": .string("running"), "sensor": .string("\(DoorStage.strap)")])
    #expect(await game.refusal("Workouts1", "Begin", [named]) == Self.word("NotAuthorized"))
    let path = try await Self.begin(game)
    for (member, body) in Self.members + [("Nothing", [])] {
      let (there, not) = (
        await other.failure("Workout1", member, body, at: path),
        await other.failure("Workout1", member, body, at: Self.absent)
      )
      #expect(there == not && there?.name == Self.unknownObject, "\(member)")
    }
    for interface in ["Session1", "QuantitySeries1", "Workout9"] {
      #expect(
        await other.failure(interface, "End", at: path) == (await other.failure(interface, "End", at: Self.absent)))
    }
    #expect(try await other.introspect(path) == nil)
    #expect(try await other.introspect("/org/sensord/workout")?.contains("<node name=\"") == false)
    await #expect(throws: DBusError.self) { try await other.properties(at: path, "Workout1") }
    for client in [game, owner] {
      #expect(try await client.introspect("/org/sensord/workout")?.contains(path.lastElement) == true)
      #expect(try await client.introspect(path)?.contains("org.sensord.Workout1") == true)
    }
    #expect(try await game.properties(at: path, "Workout1")["Sensor"] == .string(""))
    #expect(try await owner.properties(at: path, "Workout1")["Sensor"] == .string("\(DoorStage.strap)"))
    // Below another parent its name is nothing.
    let elsewhere = try #require(("/org/sensord/session" as ObjectPath).appending(String(path.lastElement)))
    #expect(await game.refusal("Workout1", "Pause", at: elsewhere) == Self.unknownObject)
    _ = try await owner.ask("Workout1", "Discard", at: path)
    await stage.end()
  }

  @Test("a series that was begun before is collected when it is finished; one of another program, or too late, is not")
  func collectedSeries() async throws {
    let clock = SimulatedClock()
    let other = "org.example.Other"
    let sharing = ["workout", "stepCount"].map {
      Grant(
        client: ClientIdentity(uid: getuid(), application: other), type: $0, permission: .share, decision: .allowed,
        decided: Timestamp(microseconds: 0))
    }
    let stage = try await DoorStage(inAdvance: Self.grants() + sharing, clock: clock.host)
    let (game, second) = (try await stage.connectGame(), try await stage.connectGame())
    let stranger = try await stage.connect()
    _ = try await stranger.ask("Authorization1", "Identify", [.string(other), .properties([:])])
    func begin(_ client: Connection, _ count: Double) async throws -> ObjectPath {
      let start = clock.time.microseconds
      let path = try #require(
        try await client.ask(
          "HealthStore1", "NewQuantitySeries", [.string("stepCount"), .int64(start), .properties([:])])[0].objectPath)
      let value = Value.structure([.int64(start), .int64(start + 100_000), .double(count)])
      _ = try await client.ask("QuantitySeries1", "Insert", [.array([value], of: "(xxd)")], at: path)
      return path
    }
    func finish(_ series: ObjectPath, of client: Connection) async throws -> String? {
      try await client.ask("QuantitySeries1", "Finish", [.int64(0), .properties([:])], at: series)[0].string
    }
    let path = try await Self.begin(game, ["sensor": .string("")])
    clock.advance(1)
    let (before, late) = (try await begin(second, 10), try await begin(second, 1_000))
    let foreign = try await begin(stranger, 100)
    _ = try await game.ask("Workout1", "Collect", [.strings(["stepCount"]), .strings([])], at: path)
    clock.advance(1)
    let collected = try await finish(before, of: second)
    _ = try await finish(foreign, of: stranger)
    clock.advance(1)
    let id = try #require(
      try await game.ask("Workout1", "End", [.properties([:])], at: path)[0].string.flatMap { UUID(uuidString: $0) })
    let saved = try await finish(late, of: second)
    await stage.recorder.commitsEnded()
    let store = try HealthStore.open(stage.store, for: .reading)
    let found = try await SampleQuery(.collected(in: id)).result(for: store).value
    #expect(found.map { $0.id.uuidString.lowercased() } == [collected])
    #expect(try await store.workout(id).statistics(for: .stepCount)?.sum == 10)
    // It is saved all the same.
    let all = try await SampleQuery(.type(.quantity(.stepCount))).result(for: store).value
    #expect(all.count == 3 && all.contains { $0.id.uuidString.lowercased() == saved })
    await stage.end()
  }

  @Test("figures of a type that a program may not read are those of one of which there is nothing")
  func unreadable() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(), clock: clock.host)
    let (game, owner) = (try await stage.connectGame(), try await stage.connect())
    await stage.pass([60], clock)
    let path = try await Self.begin(game)
    func figures(_ client: Connection) async throws -> Value {
      try await client.ask("Workout1", "Statistics", [.string("heartRate")], at: path)[0]
    }
    let nothing = try await figures(game)
    #expect(try await figures(owner) == nothing)
    await stage.pass([100, 110], clock)
    #expect(try await figures(game) == nothing)
    #expect(try await figures(owner).properties?["workout"]?.properties?["average"] == .double(105))
    try await owner.decide(read: ["heartRate"])
    #expect(try await figures(game) == (try await figures(owner)))
    await stage.end()
  }

  @Test(
    "the workout of a program that is gone ends without a recovery; one that is to outlive it is ended by another connection"
  )
  func gone() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(), clock: clock.host)
    let (game, second) = (try await stage.connectGame(), try await stage.connectGame())
    var told = await second.signals("Workout1").makeAsyncIterator()
    await stage.pass([60], clock)
    let ending = try await Self.begin(game)
    let lasting = try await Self.begin(game, ["sensor": .string(""), "endWithClient": .boolean(false)])
    await stage.pass([100, 110], clock)
    let end = clock.time
    await game.close()
    let id = try #require(await Self.told(&told))
    #expect(await second.refusal("Workout1", "Pause", at: ending) == Self.unknownObject)
    #expect(try await Self.stored(id, stage).end == end)
    #expect(try await second.properties(at: lasting, "Workout1")["State"] == .string("running"))
    let last = try await second.ask("Workout1", "End", [.properties([:])], at: lasting)[0].string
    #expect(await Self.told(&told)?.uuidString.lowercased() == last)
    await stage.end()
  }

  @Test("revoking ends a workout at once, and it is stored up to there")
  func revoked() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(clock: clock.host)
    let owner = try await stage.connect()
    try await owner.decide(share: ["workout"])
    let game = try await stage.connectGame()
    var told = await game.signals("Workout1").makeAsyncIterator()
    await stage.pass([60], clock)
    let path = try await Self.begin(game)
    await stage.pass([100, 110], clock)
    try await owner.decide(false, share: ["workout"])
    for (member, body) in Self.members {
      #expect(await game.refusal("Workout1", member, body, at: path) == Self.unknownObject)
    }
    let id = try #require(await Self.told(&told))
    #expect(try await Self.stored(id, stage).statistics(for: .heartRate)?.maximum == 110)
    #expect(
      await game.refusal("Workouts1", "Begin", [.properties(["activityType": .string("running")])])
        == Self.word("NotAuthorized"))
    await stage.end()
  }

  @Test("a program has so many workouts at a time, and a discarded one is nowhere, also while it recovers")
  func limits() async throws {
    let clock = SimulatedClock()
    var limits = ClientLimits()
    limits.workoutsOfClient = 2
    let stage = try await DoorStage(inAdvance: Self.grants(), limits: limits, clock: clock.host)
    let game = try await stage.connectGame()
    var told = await game.signals("Workout1").makeAsyncIterator()
    await stage.pass([60], clock)
    let path = try await Self.begin(game)
    let second = try await Self.begin(game, ["sensor": .string("")])
    let more = Value.properties(["activityType": .string("yoga"), "sensor": .string("")])
    #expect(await game.refusal("Workouts1", "Begin", [more]) == Self.word("LimitsExceeded"))
    await stage.pass([100], clock)
    _ = try await game.ask("Workout1", "End", [.properties([:])], at: path)
    #expect(try await game.properties(at: path, "Workout1")["State"] == .string("recovering"))
    let owner = try await stage.connect()
    var ender = await owner.signals("Workout1").makeAsyncIterator()
    _ = try await owner.ask("Workout1", "End", [.properties([:])], at: path)
    _ = try await game.ask("Workout1", "Discard", at: path)
    #expect(await game.refusal("Workout1", "Discard", at: path) == Self.unknownObject)
    // Who waits for its end learns at once that it does not come.
    let discarded = await ender.next(isolation: nil)
    #expect(discarded?.member == "Discarded" && discarded?.path == path)
    #expect(await told.next("Discarded")?.body == discarded?.body)
    _ = try await Self.begin(game, ["sensor": .string("")])
    // The first that is told of is not the discarded one.
    let stored = try await game.ask("Workout1", "End", [.properties([:])], at: second)[0].string
    #expect(await Self.told(&told)?.uuidString.lowercased() == stored)
    let kept = try await WorkoutQuery().result(for: HealthStore.open(stage.store, for: .reading)).value
    #expect(kept.map { $0.id.uuidString.lowercased() } == [stored])
    await stage.end()
  }

  @Test("what an earlier run of the recorder left is its program's again")
  func adopted() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(), clock: clock.host)
    let game = try await stage.connectGame()
    await stage.pass([60], clock)
    let path = try await Self.begin(game, ["endWithClient": .boolean(false)])
    await stage.pass([100, 110], clock)
    await stage.end()
    clock.advance(100)
    let next = try await DoorStage(inAdvance: Self.grants(), after: stage, clock: clock.host)
    let (again, other) = (try await next.connectGame(), try await next.connectStranger(uid: 4_000_001))
    var told = await again.signals("Workout1").makeAsyncIterator()
    #expect(await other.refusal("Workout1", "Pause", at: path) == Self.unknownObject)
    let shown = try await again.properties(at: path, "Workout1")
    #expect(shown["State"] == .string("running") && shown["Elapsed"] == .int64(102_000_000))
    let id = try await again.ask("Workout1", "End", [.properties(["recovery": .boolean(false)])], at: path)[0].string
    #expect(await Self.told(&told)?.uuidString.lowercased() == id)
    let workout = try await Self.stored(try #require(id.flatMap { UUID(uuidString: $0) }), next)
    #expect(workout.statistics(for: .heartRate)?.maximum == 110)
    await next.end()
  }

  @Test("a second workout of the strap cuts the recovery of the first short, and the first is stored")
  func cutShort() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(), clock: clock.host)
    let game = try await stage.connectGame()
    var told = await game.signals("Workout1").makeAsyncIterator()
    await stage.pass([60], clock)
    let first = try await Self.begin(game)
    await stage.pass([100], clock)
    let id = try await game.ask("Workout1", "End", [.properties([:])], at: first)[0].string
    let second = try await Self.begin(game)
    #expect(await Self.told(&told)?.uuidString.lowercased() == id)
    #expect(await game.refusal("Workout1", "Pause", at: first) == Self.unknownObject)
    #expect(try await game.properties(at: second, "Workout1")["State"] == .string("running"))
    await stage.end()
  }

  @Test("where the store cannot be written the end is answered all the same, and the workout is shown as ending")
  func notStored() async throws {
    let clock = SimulatedClock()
    let stage = try await DoorStage(inAdvance: Self.grants(), clock: clock.host)
    let game = try await stage.connectGame()
    await stage.pass([60], clock)
    let path = try await Self.begin(game)
    await stage.pass([100, 110], clock)
    await stage.recorder.closeStore()
    // A store that is closed is that of a recorder that stops.
    let steps = Self.steps(1, at: clock.time)
    #expect(await game.refusal("Workout1", "AddSamples", [steps], at: path) == Self.word("NotRecording"))
    let id = try await game.ask("Workout1", "End", [.properties(["recovery": .boolean(false)])], at: path)[0].string
    await stage.recorder.commitsEnded()
    let shown = try await game.properties(at: path, "Workout1")
    #expect(shown["State"] == .string("ending") && shown["Elapsed"] == .int64(2_000_000))
    #expect(try await game.ask("Workout1", "End", [.properties([:])], at: path)[0].string == id)
    #expect(await game.refusal("Workout1", "Pause", at: path) == Self.word("Finished"))
    #expect(await game.refusal("Workout1", "Discard", at: path) == Self.word("Finished"))
    await stage.end()
  }
}

extension Recorder {
  fileprivate func closeStore() async {
    await files?.store.close()
  }
}
