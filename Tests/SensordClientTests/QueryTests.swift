import DBus
import Door
import FoundationEssentials
import Glibc
import HealthModel
import SensordClient
import SeriesStore
import TestSupport
import Testing

@Suite("A client that saves and asks", .timeLimit(.minutes(5)))
struct QueryTests {
  private static let start = Timestamp(microseconds: 1_795_000_000_000_000)

  private func moment(_ seconds: Int64) -> TimeSpan {
    TimeSpan(at: Self.start.advanced(byMicroseconds: seconds * 1_000_000))
  }

  private func rates(_ values: [Double], metadata: Metadata = [:]) throws -> SampleDraft {
    let quantities = values.enumerated().map { SampleDraft.QuantityValue($1, over: moment(Int64($0))) }
    let span = try #require(TimeSpan(start: Self.start, end: moment(Int64(values.count)).end))
    return SampleDraft(.quantities(.heartRate, .countPerMinute, quantities), over: span, metadata: metadata)
  }

  @Test("what it saves it finds, by every query, and as the store's file answers")
  func saved() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let client = try await stage.client()
    await #expect(throws: ClientError.notAuthorized) { try await client.save(try rates([60])) }
    try await owner.decide(share: ["heartRate", "heartbeatSeries", "sleepAnalysis"])
    let id = try await client.save(try rates([60, 61.5, 63], metadata: ["externalUUID": "42", "score": 7]))
    let beats = SampleDraft(
      .heartbeats(timescale: 1024, [.init(0), .init(900), .init(2_500, precededByGap: true)]), over: moment(0))
    let sleep = SampleDraft(.sleepAnalysis, .asleepREM, over: moment(1))
    let others = try await client.save([beats, sleep])

    let file = try HealthStore.open(stage.store, for: .reading)
    let samples = try await SampleQuery().result(for: client)
    var stored = try await SampleQuery().result(for: file).value
    for index in stored.indices { stored[index].change = 0 }
    #expect(samples == stored && Set(samples.map(\.id)) == Set([id] + others))
    let ofGame = SamplePredicate.metadata("externalUUID", .equal, "42")
    #expect(try await SampleQuery(ofGame).result(for: client).map(\.id) == [id])
    let quantities = QuantityQuery(.heartRate, predicate: ofGame)
    #expect(try await quantities.result(for: client) == (try await quantities.result(for: file).value))
    let read = try await HeartbeatQuery(others[0]).result(for: client)
    #expect(
      read.beats.map(\.precededByGap) == [false, false, true] && read.beats.map(\.rrTicks).suffix(2) == [900, 1600])
    let zone = TimeZoneRules.utc
    let statistics = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(try #require(CalendarInterval(1, .hour)), zone: zone))
    #expect(try await statistics.result(for: client) == (try await statistics.result(for: file).value))
    let changes = try await ChangeQuery(after: .start).result(for: client)
    #expect(changes.added.map(\.id) == [id] + others && !changes.hasMore)
    try await client.delete([id])
    let later = try await ChangeQuery(after: changes.anchor).result(for: client)
    #expect(later.deleted.map(\.id) == [id] && later.added.isEmpty)
    await #expect(throws: ClientError.notFound) { try await client.delete([id]) }
    await #expect(throws: ClientError.notFound) { try await HeartbeatQuery(id).result(for: client) }
    await #expect(throws: ClientError.lostAnchor) {
      try await ChangeQuery(after: ChangeAnchor("token:\(UUID().uuidString.lowercased())")!).result(for: client)
    }
    await client.close()
    await stage.end()
  }

  @Test(
    "it gives a stored workout of its own a route, as HealthKit's builder does, and reads it; nobody else's workout")
  func route() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["workoutRoute"])
    let client = try await stage.client()
    let span = try #require(TimeSpan(start: Self.start, end: moment(3_600).end))
    let (own, foreign) = (Workout(.init(.running), over: span), Workout(.init(.running), over: span))
    let store = try HealthStore.open(stage.store, for: .writing)
    let source = "\(client.application)@\(getuid())"
    try await store.save(NewSample(own), as: SourceRevision(identifier: source, name: "Game"))
    try await store.save(NewSample(foreign), as: SourceRevision(identifier: "other", name: "Other"))
    let locations = (0..<3_601).map { index in
      RouteLocation(
        at: moment(Int64(index)).start, latitude: 52.5 + Double(index) / 3e5, longitude: 13.4,
        altitude: index % 2 == 0 ? 34.5 : nil, speed: 2.8)
    }
    func route(of workout: Workout) throws -> WorkoutRoute {
      var builder = WorkoutRouteBuilder()
      try builder.insertRouteData(Array(locations[..<1_000]))
      try builder.insertRouteData(Array(locations[1_000...]))
      return try builder.finishRoute(with: workout, metadata: ["name": "Park"])
    }
    // An hour and a second are more than two calls carry.
    let ids = try await client.save(try route(of: own))
    #expect(ids.count == 3)
    var read: [RouteLocation] = []
    for id in ids { read += try await WorkoutRouteQuery(id).result(for: client) }
    #expect(read == locations)
    let samples = try await SampleQuery(.and([.type(.workoutRoute), .collected(in: own.id)])).result(for: client)
    #expect(samples.map(\.id) == ids && samples.map(\.count) == [1_800, 1_800, 1])
    #expect(samples.allSatisfy { $0.metadata == ["name": "Park"] })
    await #expect(throws: ClientError.notFound) { try await client.save(try route(of: foreign)) }
    await #expect(throws: ClientError.series(.invalidRoute(.noLocations))) {
      try await client.save(WorkoutRoute(of: own.id, []))
    }
    // Its last part is refused, and the others are not left behind.
    let late = WorkoutRoute(
      of: own.id, locations + [RouteLocation(at: moment(3_601).end, latitude: 0, longitude: 0)])
    await #expect(throws: ClientError.invalidArgument("this cannot be stored or asked as it is")) {
      try await client.save(late)
    }
    #expect(try await SampleQuery(.type(.workoutRoute)).result(for: client).map(\.id) == ids)
    await #expect(throws: ClientError.notFound) { try await WorkoutRouteQuery(own.id).result(for: client) }
    try await client.delete(ids)
    await #expect(throws: ClientError.notFound) { try await WorkoutRouteQuery(ids[0]).result(for: client) }
    await client.close()
    await stage.end()
  }

  @Test("an audiogram is saved and read with the talk's values; what breaks a rule is refused by its reason")
  func audiogram() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["audiogram"])
    let client = try await stage.client()
    let points = [
      try AudiogramSensitivityPoint(
        frequency: Quantity(250, .hertz), leftEarSensitivity: Quantity(34, .decibelHearingLevel),
        rightEarSensitivity: Quantity(27, .decibelHearingLevel)),
      try AudiogramSensitivityPoint(
        frequency: Quantity(125, .hertz), leftEarSensitivity: Quantity(11, .decibelHearingLevel),
        rightEarSensitivity: Quantity(31, .decibelHearingLevel)),
    ]
    let id = try await client.save(SampleDraft(Audiogram(points), over: moment(0)))
    let read = try await AudiogramQuery(id).result(for: client)
    #expect(read.sensitivityPoints == [points[1], points[0]])
    #expect(try await SampleQuery(.type(.audiogram)).result(for: client).map(\.count) == [2])
    let sample = "the sample cannot be stored: two points have the same frequency"
    await #expect(throws: ClientError.invalidSample(sample)) {
      try await client.save(SampleDraft(Audiogram(points + points), over: moment(0)))
    }
    // To who saved no such thing and may not read it, it is not there.
    let other = try await stage.client("org.example.Other")
    await #expect(throws: ClientError.notFound) { try await AudiogramQuery(id).result(for: other) }
    await other.close()
    await client.close()
    await stage.end()
  }

  @Test("a live query answers at once and after each change, and goes on after a restart")
  func live() async throws {
    let bus = try PrivateBus()
    let first = try await DoorStage(on: bus)
    try await first.connect().decide(share: ["heartRate", "bodyMass"])
    let client = try await first.client()
    var results = SampleQuery(.type(.quantity(.heartRate))).results(for: client).makeAsyncIterator()
    #expect(try await results.next() == [])
    let id = try await client.save(try rates([60]))
    #expect(try await results.next()?.map(\.id) == [id])
    var changes = ChangeQuery(after: .start).results(for: client).makeAsyncIterator()
    #expect(try await changes.next()?.added.map(\.id) == [id])
    try await client.delete([id])
    #expect(try await results.next() == [])
    #expect(try await changes.next()?.deleted.map(\.id) == [id])
    await first.end()

    let second = try await DoorStage(on: bus)
    try await second.connect().decide(share: ["heartRate"])
    let other = try await client.save(try rates([70]))
    #expect(try await results.next()?.map(\.id) == [other], "another store")
    await client.close()
    #expect(try await results.next() == nil)
    await second.end()
  }

  @Test("an answer longer than a pipe holds comes whole, and may be left")
  func long() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["heartRate"])
    let client = try await stage.client()
    for part in 0..<4 {
      let values = (0..<2_500).map {
        SampleDraft.QuantityValue(Double(60 + $0 % 90) + 0.5, over: moment(Int64(part * 2_500 + $0)))
      }
      let span = try #require(
        TimeSpan(start: moment(Int64(part * 2_500)).start, end: moment(Int64(part * 2_500 + 2_500)).end))
      try await client.save(SampleDraft(.quantities(.heartRate, .countPerMinute, values), over: span))
    }
    let list = try await QuantityQuery(.heartRate).result(for: client)
    #expect(list.count == 10_000 && list.samples.count == 4)
    #expect(zip(list, list.dropFirst()).allSatisfy { $0.span.start <= $1.span.start })
    let task = Task { try await QuantityQuery(.heartRate).result(for: client) }
    task.cancel()
    _ = await task.result
    #expect(try await QuantityQuery(.heartRate, to: moment(10).start).result(for: client).count == 10)
    await client.close()
    await stage.end()
  }
}
