import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Door

@Suite("Workouts of clients")
struct ClientWorkoutTests {
  /// A registry whose game may save workouts, and may read where `reads`.
  private static func registry(reads: Bool = false, limits: ClientLimits = ClientLimits()) throws -> ClientRegistry {
    var registry = try Made.registry(limits: limits)
    _ = registry.replaceDecisions(with: [Made.grant(.share, "workout")] + (reads ? Made.reading : []))
    return registry
  }

  @Test("who may not save workouts begins none, whatever else it may save, and only who may read names a sensor")
  func permission() throws {
    var registry = try Made.registry()
    _ = registry.replaceDecisions(with: [Made.grant(.share, "heartRate")] + Made.reading)
    #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.workout, ":1.1") }
    registry = try Self.registry()
    #expect(try registry.mayBegin(.workout, ":1.1").owner == Made.game)
    for text in ["\(Made.strap)", "C0:FF:EE:00:00:99", "nonsense"] {
      #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.workout, ":1.1", of: text) }
    }
    registry = try Self.registry(reads: true)
    #expect(try registry.mayBegin(.workout, ":1.1", of: "\(Made.strap)").sensor == Made.strap)
    #expect(throws: Refusal.invalidSensor) { try registry.mayBegin(.workout, ":1.1", of: "nonsense") }
    #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.session, ":1.1") }
  }

  @Test("it is its user's application's, on each of its connections; to others it is not there, owners see all")
  func ownership() throws {
    var registry = try Self.registry()
    try registry.connect(":1.2")
    try registry.connect(":1.3", uid: 1001)
    try registry.connect(":1.4", as: "org.example.Other")
    #expect(try registry.begin(Made.object(.workout)) == [])
    for (name, isSeen) in [(":1.0", true), (":1.1", true), (":1.2", true), (":1.3", false), (":1.4", false)] {
      #expect((registry.object(Made.identifier(1), for: name) != nil) == isSeen)
      #expect(registry.objects(for: name).count == (isSeen ? 1 : 0))
    }
  }

  @Test("it ends with its connection, or when the permission is taken back; what is to outlive its program does")
  func ends() throws {
    var registry = try Self.registry()
    _ = try registry.begin(Made.object(.workout, 1))
    _ = try registry.begin(Made.object(.workout, 2, of: Made.other, endsWith: nil))
    #expect(registry.gone(":1.1") == [.end(.workout, Made.identifier(1), isClientGone: true)])
    #expect(registry.objects(for: ":1.0").map(\.identifier) == [Made.identifier(2)])
    // Other permissions are not its own.
    #expect(registry.replaceDecisions(with: [Made.grant(.share, "workout")]) == [])
    #expect(
      registry.replaceDecisions(with: [Made.grant(.share, "heartRate")])
        == [.end(.workout, Made.identifier(2), isClientGone: false)])
  }

  @Test("a client that goes, or loses its permission, before its workout has begun ends it as well")
  func meanwhile() throws {
    var registry = try Self.registry()
    _ = try registry.mayBegin(.workout, ":1.1")
    _ = registry.replaceDecisions(with: [])
    #expect(
      registry.began(Made.object(.workout), of: ":1.1") == [.end(.workout, Made.identifier(1), isClientGone: false)])
    _ = registry.replaceDecisions(with: [Made.grant(.share, "workout")])
    _ = try registry.mayBegin(.workout, ":1.1")
    _ = registry.gone(":1.1")
    #expect(
      registry.began(Made.object(.workout), of: ":1.1") == [.end(.workout, Made.identifier(1), isClientGone: true)])
  }

  @Test("one that an earlier run left is its client's again, and ends when the owner takes the permission back")
  func adopted() throws {
    var registry = try Made.registry()
    registry.adopt(Made.object(.workout, endsWith: nil))
    #expect(!registry.isEmpty)
    #expect(registry.replaceDecisions(with: [Made.grant(.share, "workout")]) == [])
    #expect(registry.object(Made.identifier(1), for: ":1.1") != nil)
    #expect(registry.replaceDecisions(with: []) == [.end(.workout, Made.identifier(1), isClientGone: false)])
  }

  @Test("a client, and a user, has so many, beside sessions and series; what has ended does not count")
  func limits() throws {
    var limits = ClientLimits()
    (limits.workoutsOfClient, limits.workoutsOfUser, limits.sessionsOfClient) = (2, 3, 1)
    var registry = try Self.registry(limits: limits)
    let second = ClientIdentity(uid: Made.game.uid, application: "org.example.Second")
    _ = registry.replaceDecisions(
      with: [
        Made.grant(.share, "workout"), Made.grant(.share, "workout", to: second), Made.grant(.share, "heartRate"),
      ])
    try registry.connect(":1.2", as: second.application)
    _ = try registry.begin(Made.object(.workout, 1))
    _ = try registry.mayBegin(.session, ":1.1")
    _ = try registry.mayBegin(.workout, ":1.1")
    #expect(throws: Refusal.limitsExceeded(.workouts)) { try registry.mayBegin(.workout, ":1.1") }
    registry.beginFailed(.workout, ":1.1")
    _ = try registry.begin(Made.object(.workout, 2, of: nil))
    registry.ended(Made.identifier(1))
    _ = try registry.begin(Made.object(.workout, 3, of: nil))
    _ = try registry.mayBegin(.workout, ":1.2")
    #expect(throws: Refusal.limitsExceeded(.workouts)) { try registry.mayBegin(.workout, ":1.2") }
  }

  @Test("a workout of a sensor ends what was left of a session of it; other workouts are their recorder's to end")
  func sensor() throws {
    var registry = try Self.registry()
    registry.adopt(ClientObject(.session, Made.identifier(7), of: Made.game, sensor: Made.strap, start: 1))
    registry.adopt(ClientObject(.session, Made.identifier(8), of: Made.game, sensor: Made.other, start: 1))
    _ = try registry.begin(Made.object(.workout, 1, of: nil))
    #expect(registry.objects(for: ":1.0").count == 3)
    _ = try registry.begin(Made.object(.workout, 2))
    _ = try registry.begin(Made.object(.workout, 3))
    #expect(registry.objects(for: ":1.0").map(\.identifier) == [1, 2, 3, 8].map { Made.identifier($0) })
  }

  @Test("it collects the types that were named, of its own program, until they are named again")
  func collecting() throws {
    var registry = try Self.registry()
    _ = try registry.begin(Made.object(.workout, 1))
    #expect(registry.workouts(of: Made.game, collecting: "stepCount").isEmpty)
    try registry.collect(on: ["stepCount", "bodyMass"], off: [], in: Made.identifier(1))
    try registry.collect(on: ["heartRate"], off: ["bodyMass", "height"], in: Made.identifier(1))
    #expect(registry.workouts(of: Made.game, collecting: "stepCount") == [Made.identifier(1)])
    #expect(registry.workouts(of: Made.game, collecting: "bodyMass").isEmpty)
    #expect(registry.workouts(of: ClientIdentity(uid: 1000), collecting: "stepCount").isEmpty)
    for (on, off, refusal) in [
      (["mood"], [], Refusal.unknownType), ([], ["mood"], .unknownType), ([], ["heartRate"], .invalidArgument),
      (["workout"], [], .invalidArgument),
      (Array(repeating: "stepCount", count: 130), Array(repeating: "height", count: 130), .limitsExceeded(.types)),
    ] {
      #expect(throws: refusal) { try registry.collect(on: on, off: off, in: Made.identifier(1)) }
    }
    #expect(registry.object(Made.identifier(1), for: ":1.1")?.collects == ["stepCount", "heartRate"])
  }

  @Test("when it is stored it is gone; every connection of its program is told, and an owner who ended it")
  func stored() throws {
    var registry = try Self.registry()
    try registry.connect(":1.2")
    try registry.connect(":1.3", as: "org.example.Other")
    _ = try registry.begin(Made.object(.workout, 1))
    try registry.connect(":1.4", as: "org.example.Another")
    registry.asksForEnd(":1.0", of: Made.identifier(1))
    registry.asksForEnd(":1.4", of: Made.identifier(1))
    _ = registry.gone(":1.4")
    let told = [Effect.stored(to: ":1.1", Made.identifier(1)), .stored(to: ":1.2", Made.identifier(1))]
    #expect(registry.stored(Made.identifier(1), of: Made.game) == [.stored(to: ":1.0", Made.identifier(1))] + told)
    #expect(registry.objects(for: ":1.0").isEmpty)
    #expect(registry.stored(Made.identifier(1), of: Made.game) == told)
  }

  @Test("when it is discarded it is gone, and the same are told")
  func discarded() throws {
    var registry = try Self.registry()
    try registry.connect(":1.2")
    try registry.connect(":1.3", as: "org.example.Other")
    _ = try registry.begin(Made.object(.workout))
    registry.asksForEnd(":1.0", of: Made.identifier(1))
    #expect(
      registry.discarded(Made.identifier(1), of: Made.game)
        == [":1.0", ":1.1", ":1.2"].map { .discarded(to: $0, Made.identifier(1)) })
    #expect(registry.objects(for: ":1.0").isEmpty)
  }

  @Test("each refusal of a workout has a name that stays, and a sentence without a value")
  func refusals() {
    let names: [(WorkoutError, String)] = [
      (.notPossible(in: .stopped), "InvalidState"), (.noActivity, "InvalidState"), (.lapsOverlap, "InvalidState"),
      (.timeGoesBack, "InvalidTime"), (.eventOutside(.lap), "InvalidTime"), (.endsBeforeStart, "EndBeforeStart"),
      (.invalidLapLength, "InvalidArgument"), (.eventOfSession(.pause), "InvalidArgument"),
      (.unknownEvent(WorkoutEventType(rawValue: 987)), "InvalidArgument"),
      (.activityType(WorkoutActivityType(rawValue: 987), in: .running), "InvalidArgument"),
      (.tooManyEvents(limit: 10_000), "TooLarge"),
    ]
    for (error, name) in names {
      #expect(Refusal.workout(error).name == "org.sensord.Error.\(name)")
      #expect(!Refusal.workout(error).message.contains("987") && !Refusal.workout(error).message.isEmpty)
    }
    #expect(Refusal.workout(.notPossible(in: .stopped)).message.contains("stopped"))
    #expect(Refusal.unknownSample.name == "org.sensord.Error.NotFound")
  }
}
