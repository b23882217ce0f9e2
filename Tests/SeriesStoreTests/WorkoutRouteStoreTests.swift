import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Routes in a store")
struct WorkoutRouteStoreTests {
  private typealias World = WorkoutWorld
  private let folder = TemporaryFolder()

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  /// A route in the run of ``WorkoutWorld``, one location a second.
  private func route(
    of workout: UUID, _ count: Int = 60, id: UUID = UUID(), from second: Int = 10, seed: UInt64 = 1,
    as receiver: RouteWorld.Receiver = .decimal
  ) -> WorkoutRoute {
    var random = SeededGenerator(seed: seed)
    return WorkoutRoute(
      id: id, of: workout, RouteWorld.locations(count, from: World.time(second), as: receiver, &random),
      metadata: ["name": "Park"])
  }

  private func refuses(_ code: StoreError.Code, _ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      return false
    } catch {
      return (error as? StoreError)?.code == code
    }
  }

  private func routes(of workout: UUID, in store: HealthStore) async throws -> [UUID] {
    try await SampleQuery(.and([.type(.workoutRoute), .collected(in: workout)]), order: [.init(.change)])
      .result(for: store).value.map(\.id)
  }

  @Test("it is saved with its workout, comes back as it was, and is found through the workout")
  func together() async throws {
    let store = try open()
    let run = World.run()
    let route = route(of: run.id)
    let device = Device(name: "Watch")
    let news = [try NewSample(run), try NewSample(route, device: device)]
    #expect(try await store.save(news, as: World.program) == [.stored, .stored])
    #expect(try await WorkoutRouteQuery(route.id).result(for: store).value == route.locations)
    let sample = try #require(try await SampleQuery(.type(.workoutRoute)).result(for: store).value.first)
    #expect(sample.id == route.id && sample.count == 60 && sample.device == device && sample.metadata == route.metadata)
    #expect(sample.start == World.time(10) && sample.end == World.time(69) && sample.summary == nil)
    #expect(try await routes(of: run.id, in: store) == [route.id])
    #expect(try await store.check() == [])
  }

  @Test("a builder makes it in parts, and a stored workout gets it later, also a second one; its figures stay")
  func later() async throws {
    let store = try open()
    let run = World.run()
    let (rates, distance) = try World.samplesOfRun()
    try await store.save([rates, distance, try NewSample(run, collected: [rates.id, distance.id])], as: World.program)
    let before = try await store.workout(run.id)
    var builder = WorkoutRouteBuilder()
    let locations = route(of: run.id).locations
    for place in stride(from: 0, to: 60, by: 7) {
      try builder.insertRouteData(Array(locations[place..<min(place + 7, 60)]))
    }
    let first = try builder.finishRoute(with: before)
    let second = route(of: run.id, 20, from: 75, seed: 2)
    for route in [first, second] { try await store.save(try NewSample(route), as: World.program) }
    #expect(try await WorkoutRouteQuery(first.id).result(for: store).value == locations)
    #expect(try await routes(of: run.id, in: store) == [first.id, second.id])
    #expect(try await store.workout(run.id) == before)
    #expect(try await SampleQuery(.collected(in: run.id)).result(for: store).value.count == 4)
    #expect(try await store.check() == [])
  }

  @Test("one of many chunks comes back, also of numbers that no decimal has", arguments: [1, 3])
  func long(receiver: Int) async throws {
    let store = try open()
    let hike = Workout(.init(.hiking), over: World.span(-20_000, 200_000))
    let route = route(of: hike.id, 10_000, as: RouteWorld.Receiver.allCases[receiver])
    let ordered = WorkoutRoute(of: hike.id, route.locations)
    try await store.save([try NewSample(hike), try NewSample(route)], as: World.program)
    #expect(try await WorkoutRouteQuery(route.id).result(for: store).value == ordered.locations)
    let sql = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    #expect(try sql.integer("SELECT count(*) FROM chunks") == 3)
    #expect(try await store.check() == [])
  }

  @Test("deleting the workout keeps it, like all that was collected; deleting it leaves nothing of it but a tombstone")
  func deletion() async throws {
    let store = try open()
    let run = World.run()
    let (first, second) = (route(of: run.id), route(of: run.id, 5, from: 80, seed: 2))
    try await store.save([try NewSample(run), try NewSample(first), try NewSample(second)], as: World.program)
    try await store.delete([first.id], as: "test")
    #expect(try await routes(of: run.id, in: store) == [second.id])
    #expect(await refuses(.notFound) { _ = try await WorkoutRouteQuery(first.id).result(for: store) })
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.deleted.map(\.id) == [first.id] && changes.deleted.map(\.type) == [.workoutRoute])
    let sql = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    #expect(try sql.integer("SELECT count(*) FROM chunks") == 1)
    try await store.delete([run.id], as: "test")
    #expect(try await WorkoutRouteQuery(second.id).result(for: store).value == second.locations)
    #expect(try sql.integer("SELECT count(*) FROM associations") == 0)
    #expect(try await store.check() == [])
  }

  @Test("a later version takes its place, of another workout too, and a later version of the workout keeps it")
  func versions() async throws {
    let store = try open()
    let (run, other) = (World.run(), Workout(.init(.walking), over: World.span(0, 300)))
    func version(_ number: Int64, _ route: WorkoutRoute) throws -> NewSample {
      try NewSample(route, sync: SyncIdentity(identifier: "route", version: number))
    }
    let first = route(of: run.id)
    let workout = try NewSample(run, sync: SyncIdentity(identifier: "run", version: 1))
    try await store.save([workout, try NewSample(other), try version(1, first)], as: World.program)
    let second = route(of: run.id, 30)
    #expect(
      try await store.save([try version(2, second), try version(1, first)], as: World.program) == [
        .replaced, .unchanged,
      ])
    #expect(try await routes(of: run.id, in: store) == [second.id])
    let third = route(of: other.id, 30, from: 200)
    #expect(try await store.save(try version(3, third), as: World.program) == .replaced)
    #expect(try await routes(of: run.id, in: store) == [])
    #expect(try await routes(of: other.id, in: store) == [third.id])
    let fourth = route(of: run.id, 40)
    #expect(try await store.save(try version(4, fourth), as: World.program) == .replaced)
    let again = try NewSample(World.run(), sync: SyncIdentity(identifier: "run", version: 2))
    #expect(try await store.save(again, as: World.program) == .replaced)
    #expect(try await routes(of: again.id, in: store) == [fourth.id])
    // One that is named is not there twice, and no other's.
    let named = try NewSample(World.run(), collected: [fourth.id], sync: SyncIdentity(identifier: "run", version: 3))
    #expect(try await store.save(named, as: World.program) == .replaced)
    #expect(try await routes(of: named.id, in: store) == [fourth.id])
    #expect(
      await refuses(.invalid) {
        try await store.save(try NewSample(World.run(), collected: [fourth.id]), as: World.program)
      })
    #expect(try await store.check() == [])
  }

  @Test("without a workout of its program, or with a location outside of it, it is refused, and nothing is saved")
  func refusals() async throws {
    let store = try open()
    let run = World.run()
    let (rates, _) = try World.samplesOfRun()
    try await store.save([rates, try NewSample(run)], as: World.program)
    let other = SourceRevision(identifier: "other", name: "Other")
    for (workout, program) in [(UUID(), World.program), (rates.id, World.program), (run.id, other)] {
      let news = [try World.rates([(5, 80)]), try NewSample(route(of: workout))]
      #expect(await refuses(.notFound) { try await store.save(news, as: program) })
    }
    for (count, second) in [(5, -1), (10, 92)] {
      #expect(
        await refuses(.invalid) {
          try await store.save(try NewSample(route(of: run.id, count, from: second)), as: World.program)
        })
    }
    #expect(throws: WorkoutRouteError.noLocations) { try NewSample(WorkoutRoute(of: run.id, [])) }
    let nowhere = RouteLocation(at: World.time(5), latitude: 91, longitude: 0)
    #expect(throws: WorkoutRouteError.outOfRange(.latitude)) { try NewSample(WorkoutRoute(of: run.id, [nowhere])) }
    #expect(try await SampleQuery().result(for: store).value.count == 2)
    // The first and the last moment are in it.
    let whole = WorkoutRoute(of: run.id, [0, 100].map { RouteLocation(at: World.time($0), latitude: 0, longitude: 0) })
    try await store.save(try NewSample(whole), as: World.program)
    #expect(await refuses(.notFound) { _ = try await WorkoutRouteQuery(run.id).result(for: store) })
    #expect(await refuses(.notFound) { _ = try await HeartbeatQuery(whole.id).result(for: store) })
  }

  @Test("to who may not read routes there is none, whatever may be read of the workout")
  func scope() async throws {
    let store = try open()
    let run = World.run()
    let route = route(of: run.id)
    try await store.save([try NewSample(run), try NewSample(route)], as: World.program)
    let isRead = SamplePredicate.collected(in: run.id)
    for scope in [ReadScope(types: ["workout"]), ReadScope(types: ["workout"], source: "other"), ReadScope()] {
      #expect(await refuses(.notFound) { _ = try await store.answer(WorkoutRouteQuery(route.id), in: scope) })
      #expect(try await store.answer(SampleQuery(isRead), in: scope).isEmpty)
    }
    for scope in [
      ReadScope(types: ["workout", "workoutRoute"]), ReadScope(source: "test"), ReadScope(objects: [route.id, run.id]),
    ] {
      #expect(try await store.answer(WorkoutRouteQuery(route.id), in: scope) == route.locations)
      #expect(
        try await store.answer(SampleQuery(.and([isRead, .type(.workoutRoute)])), in: scope).map(\.id) == [route.id])
    }
    #expect(
      await refuses(.notFound) {
        _ = try await store.answer(WorkoutRouteQuery(run.id), in: ReadScope(types: ["workout", "workoutRoute"]))
      })
  }

  @Test("SQL lists it with the length of its way in metres, its workout, and each location")
  func views() async throws {
    let store = try open()
    let run = World.run()
    let locations = [
      RouteLocation(at: World.time(10), latitude: 52, longitude: 13, altitude: 34.5, speed: 2.5),
      RouteLocation(at: World.time(11), latitude: 52.001, longitude: 13, course: 0),
    ]
    let route = WorkoutRoute(of: run.id, locations)
    try await store.save([try NewSample(run), try NewSample(route)], as: World.program)
    let sql = try ReadOnlySQL(folder.store)
    let name = route.id.uuidString.lowercased().filter { $0 != "-" }
    #expect(
      try sql.all("SELECT kind, type, count, round(sum, 1) FROM sample_list WHERE id = '\(name)'")
        == [[.text("workoutRoute"), .text("workoutRoute"), .integer(2), .real(111.2)]])
    #expect(try sql.all("SELECT role FROM association_list WHERE member = '\(name)'") == [[.text("collected")]])
    #expect(
      try sql.all(
        "SELECT time, latitude, longitude, altitude, speed, course, session FROM locations WHERE sample = '\(name)'")
        == [
          [.text("2026-09-21T14:13:30.000000Z"), .real(52), .real(13), .real(34.5), .real(2.5), .null, .null],
          [.text("2026-09-21T14:13:31.000000Z"), .real(52.001), .real(13), .null, .null, .real(0), .null],
        ])
    #expect(
      try sql.all(
        "SELECT horizontal_accuracy, vertical_accuracy, time_us - 1790000000000000, sample FROM locations LIMIT 1")
        == [[.null, .null, .integer(10_000_000), .text(name)]])
  }

  @Test(
    "what was changed, exchanged or is missing is found by a check, and no query answers from it",
    arguments: [
      "UPDATE samples SET count = 9999, checksum = row_checksum(\(Schema.samples.columns.joined(separator: ", ").replacing("count", with: "9999"))) WHERE sum IS NOT NULL",
      "DELETE FROM chunks WHERE id % 1048576 = 1",
      "UPDATE chunks SET id = CASE id % 1048576 WHEN 0 THEN id + 7 WHEN 1 THEN id - 1 ELSE id END",
      "UPDATE chunks SET payload = zeroblob(30) WHERE id % 1048576 = 0",
    ])
  func damage(statement: String) async throws {
    let store = try open()
    let hike = Workout(.init(.hiking), over: World.span(0, 20_000))
    let route = route(of: hike.id, 9_000)
    try await store.save([try NewSample(hike), try NewSample(route)], as: World.program)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(statement)
    let name = route.id.uuidString.lowercased()
    #expect(
      await refuses(.corrupt(object: "sample \(name)")) { _ = try await WorkoutRouteQuery(route.id).result(for: store) }
    )
    #expect(try await !store.check().isEmpty)
    #expect(try await store.workout(hike.id).span == hike.span)
    // It can still be deleted, completely.
    try await store.delete([route.id, hike.id], as: "test")
    #expect(try Connection(folder.store, flags: SQLITE_OPEN_READONLY).integer("SELECT count(*) FROM chunks") == 0)
  }

  @Test(
    "a length or time that is not that of the way is damage, though its row is as it was written",
    arguments: [
      ("sum", "5.0", "its length is not that of its way"),
      ("start", "start + 1", "it does not begin and end with its locations"),
      ("end", "end - 1", "it does not begin and end with its locations"),
    ])
  func figures(column: String, value: String, problem: String) async throws {
    let store = try open()
    let run = World.run()
    try await store.save([try NewSample(run), try NewSample(route(of: run.id))], as: World.program)
    let columns = Schema.samples.columns.map { $0 == column ? value : $0 }.joined(separator: ", ")
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(
      "UPDATE samples SET \(column) = \(value), checksum = row_checksum(\(columns)) WHERE sum IS NOT NULL")
    #expect(try await store.check().map(\.problem) == [problem])
  }

  @Test("a live query of its locations ends with an error when it is deleted, and routes of a workout are followed")
  func live() async throws {
    let store = try open()
    let run = World.run()
    try await store.save(try NewSample(run), as: World.program)
    let route = route(of: run.id)
    var counts: [Int] = []
    for try await answer in SampleQuery(.and([.type(.workoutRoute), .collected(in: run.id)])).results(for: store) {
      counts.append(answer.value.count)
      if counts.count == 1 { try await store.save(try NewSample(route), as: World.program) }
      if counts.count == 2 { try await store.delete([route.id], as: "test") }
      if counts.count == 3 { break }
    }
    #expect(counts == [0, 1, 0])
  }

  @Test("random saves and deletions of workouts and routes leave what a list of them has", arguments: 0..<20)
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = TemporaryFolder(inMemory: true)
    let store = try HealthStore.open(folder.store, for: .writing)
    var workouts: [UUID: TimeSpan] = [:]
    var saved: [UUID: (locations: [RouteLocation], workout: UUID?)] = [:]
    for _ in 0..<40 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let start = Int.random(in: 0..<500, using: &random)
        let workout = Workout(.init(.running), over: World.span(start, start + 200))
        try await store.save(try NewSample(workout), as: World.program)
        workouts[workout.id] = workout.span
      case 1, 2:
        guard
          let (id, span) = workouts.sorted(by: { $0.key.uuidString < $1.key.uuidString }).randomElement(using: &random)
        else { continue }
        let receiver = RouteWorld.Receiver.allCases.randomElement(using: &random)!
        let locations = RouteWorld.locations(
          .random(in: 1...80, using: &random),
          from: span.start.advanced(byMicroseconds: .random(in: -20_000_000...199_000_000, using: &random)),
          as: receiver, &random)
        let route = WorkoutRoute(of: id, locations)
        let isInside = locations.allSatisfy { $0.time >= span.start && $0.time <= span.end }
        do {
          try await store.save(try NewSample(route), as: World.program)
          #expect(isInside)
          saved[route.id] = (route.locations, id)
        } catch let error as StoreError {
          #expect(!isInside && error.code == .invalid)
        }
      case 3:
        guard let id = saved.keys.sorted(by: { $0.uuidString < $1.uuidString }).randomElement(using: &random) else {
          continue
        }
        try await store.delete([id], as: "test")
        saved[id] = nil
      default:
        guard let id = workouts.keys.sorted(by: { $0.uuidString < $1.uuidString }).randomElement(using: &random) else {
          continue
        }
        try await store.delete([id], as: "test")
        workouts[id] = nil
        for (route, entry) in saved where entry.workout == id { saved[route]?.workout = nil }
      }
    }
    for (id, entry) in saved {
      #expect(try await WorkoutRouteQuery(id).result(for: store).value == entry.locations, "seed \(seed)")
    }
    for id in workouts.keys {
      #expect(
        try await Set(routes(of: id, in: store)) == Set(saved.filter { $0.value.workout == id }.keys), "seed \(seed)")
    }
    #expect(try await SampleQuery(.type(.workoutRoute)).result(for: store).value.count == saved.count)
    #expect(try await store.check() == [], "seed \(seed)")
  }
}
