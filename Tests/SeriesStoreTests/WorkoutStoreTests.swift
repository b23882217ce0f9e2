import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Workouts in a store")
struct WorkoutStoreTests {
  private typealias World = WorkoutWorld
  private let folder = TemporaryFolder()

  /// A store with a run and what was collected with it.
  private func store() async throws -> (store: HealthStore, run: Workout, rates: UUID, distance: UUID) {
    let store = try HealthStore.open(folder.store, for: .writing)
    let run = World.run()
    let (rates, distance) = try World.samplesOfRun()
    let new = try NewSample(run, collected: [rates.id, distance.id], device: Device(name: "Watch"))
    #expect(try await store.save([rates, distance, new], as: World.program) == [.stored, .stored, .stored])
    return (store, run, rates.id, distance.id)
  }

  private func refuses(
    _ code: StoreError.Code, _ body: () async throws -> Void
  ) async -> Bool {
    do {
      try await body()
      return false
    } catch {
      return (error as? StoreError)?.code == code
    }
  }

  @Test("it comes back as it was saved, with the figures of what was collected, its activities' too")
  func roundTrip() async throws {
    let (store, run, _, _) = try await store()
    let found = try await store.workout(run.id)
    #expect(found.configuration == run.configuration && found.span == run.span && found.metadata == run.metadata)
    #expect(found.events == run.events && found.duration == .seconds(90))
    #expect(found.activities.map(\.id) == run.activities.map(\.id))
    #expect(found.activities.map(\.configuration) == run.activities.map(\.configuration))
    #expect(found.activities.map(\.events) == run.activities.map(\.events))
    #expect(found.activities.map(\.metadata) == run.activities.map(\.metadata))
    // 190 is in the pause, 100 outside of the activities.
    let rates = try #require(found.statistics(for: .heartRate))
    #expect(rates.count == 6 && rates.average == 130 && rates.minimum == 100 && rates.maximum == 170)
    #expect(rates.mostRecent == 100 && rates.mostRecentSpan == TimeSpan(at: World.time(99)) && rates.sum == nil)
    #expect(found.statistics(for: .distanceWalkingRunning)?.sum == 180)
    #expect(found.activities.map { $0.statistics(for: .heartRate)?.average } == [120, 160])
    #expect(found.activities.map { $0.statistics(for: .distanceWalkingRunning)?.sum } == [100, 60])
    let sample = try #require(try await SampleQuery(.type(.workout)).result(for: store).value.first)
    #expect(sample.id == run.id && sample.activityType == .running && sample.category == nil && sample.count == 2)
    #expect(sample.start == run.start && sample.end == run.end && sample.device?.name == "Watch")
    #expect(sample.metadata == run.metadata && sample.summary == nil)
    #expect(try await WorkoutQuery().result(for: store).value == [found])
    #expect(try await store.check() == [])
  }

  @Test("a builder's workout has the figures that the store computes from what it has saved")
  func builderAgrees() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let (rates, distance) = try World.samplesOfRun()
    var builder = try WorkoutBuilder(World.run().configuration)
    try builder.beginCollection(at: World.time(0))
    let source = DataSource(source: "test")
    try await store.save([rates, distance], as: World.program)
    for (id, type) in [(rates.id, QuantityType.heartRate), (distance.id, .distanceWalkingRunning)] {
      let values = try await QuantityQuery(type).result(for: store).value.quantities
      try builder.addSamples([WorkoutSample(id: id, .quantity(type), from: source, quantities: values)])
    }
    for activity in World.run().activities { try builder.addActivity(activity) }
    try builder.addEvents(World.run().events)
    try builder.endCollection(at: World.time(100))
    let workout = try builder.finishWorkout()
    try await store.save(try NewSample(workout, collected: builder.samples.map(\.id)), as: World.program)
    #expect(try await store.workout(workout.id) == workout)
    #expect(workout.allStatistics.count == 2)
  }

  @Test("what was collected is found through it, and it through its type, duration, times and figures")
  func predicates() async throws {
    let (store, run, rates, distance) = try await store()
    let swim = Workout(.init(.swimming), over: World.span(200, 260))
    try await store.save(try NewSample(swim), as: World.program)
    func find(_ predicate: SamplePredicate) async throws -> Set<UUID> {
      let found = try await SampleQuery(predicate).result(for: store).value.map(\.id)
      #expect(try await store.identifiers(SampleQuery(predicate)) == found)
      #expect(try await SampleQuery(.not(predicate)).result(for: store).value.count == 4 - found.count)
      return Set(found)
    }
    let bpm = { Quantity($0, Unit.countPerMinute) }
    let hertz = Quantity(2.5, try Unit(parsing: "count/s"))
    let cases: [(SamplePredicate, Set<UUID>)] = [
      (.collected(in: run.id), [rates, distance]), (.collected(in: swim.id), []), (.collected(in: rates), []),
      (.part(of: run.id), []), (.value([CategoryValue(rawValue: 37)]), []),
      (.workout(.all), [run.id, swim.id]), (.workoutActivity(.all), [run.id]),
      (.workout(.activityType(.swimming)), [swim.id]),
      (.workout(.activityType([.swimming, .running])), [run.id, swim.id]),
      (.workout(.activityType([])), []), (.workoutActivity(.activityType(.running)), [run.id]),
      (.workout(.duration(.equal, .seconds(90))), [run.id]), (.workout(.duration(.less, .seconds(90))), [swim.id]),
      (.summary(.duration, .equal, .seconds(90)), [run.id]),
      (.workoutActivity(.duration(.equal, .seconds(30))), [run.id]),
      (.workoutActivity(.duration(.greater, .seconds(40))), []),
      (.workout(.start(.greaterOrEqual, World.time(200))), [swim.id]),
      (.workout(.end(.less, World.time(200))), [run.id]),
      (.workoutActivity(.start(.equal, World.time(60))), [run.id]),
      (.workoutActivity(.end(.greater, World.time(90))), []),
      (.workout(.time(from: World.time(100), to: World.time(200))), []),
      (.workout(.time(from: World.time(99), to: nil)), [run.id, swim.id]),
      (.workoutActivity(.time(from: World.time(40), to: World.time(60))), []),
      (.workoutActivity(.time(from: World.time(39), to: World.time(60))), [run.id]),
      (.workoutActivity(.time(from: World.time(39), to: World.time(60), strictness: .start)), []),
      (.workoutActivity(.statistic(.average, of: .heartRate, .greater, bpm(150))), [run.id]),
      (.workoutActivity(.statistic(.average, of: .heartRate, .greater, hertz)), [run.id]),
      (.workoutActivity(.statistic(.average, of: .heartRate, .greater, bpm(160))), []),
      (.workoutActivity(.statistic(.maximum, of: .heartRate, .equal, bpm(170))), [run.id]),
      (.workoutActivity(.statistic(.minimum, of: .heartRate, .less, bpm(110))), []),
      (.workoutActivity(.statistic(.mostRecent, of: .heartRate, .equal, bpm(130))), [run.id]),
      (.workoutActivity(.statistic(.sum, of: .heartRate, .greater, bpm(0))), []),
      (.workoutActivity(.statistic(.sum, of: .distanceWalkingRunning, .equal, Quantity(0.1, Unit("km")!))), [run.id]),
      (.workoutActivity(.statistic(.sum, of: .distanceWalkingRunning, .equal, Quantity(100, .second))), []),
      (.workoutActivity(.statistic(.sum, of: .stepCount, .greater, Quantity(0, .count))), []),
      (.workout(.statistic(.average, of: .heartRate, .greater, bpm(150))), []),
      (.workout(.statistic(.minimum, of: .heartRate, .equal, bpm(100))), [run.id]),
      // Both have to be true of one activity.
      (
        .workoutActivity(
          .and([.statistic(.average, of: .heartRate, .greater, bpm(150)), .duration(.less, .seconds(40))])), [run.id]
      ),
      (
        .workoutActivity(
          .and([.statistic(.average, of: .heartRate, .greater, bpm(150)), .duration(.equal, .seconds(40))])), []
      ),
      (
        .workoutActivity(.not(.statistic(.average, of: .heartRate, .greater, bpm(150)))), [run.id]
      ),
      (.workoutActivity(.or([])), []),
      (
        .workoutActivity(
          .or([
            .statistic(.average, of: .heartRate, .greater, bpm(150)),
            .and([.duration(.equal, .seconds(40)), .activityType(.yoga)]),
          ])), [run.id]
      ),
    ]
    for (predicate, expected) in cases { #expect(try await find(predicate) == expected, "\(predicate)") }
    var deep = WorkoutPredicate.all
    for _ in 0..<4 { deep = .or([.and([deep, .all]), .activityType(.yoga)]) }
    #expect(await refuses(.tooComplex(limit: 4)) { _ = try await SampleQuery(.workout(deep)).result(for: store) })
  }

  @Test("the deepest condition on workouts fits into the deepest predicate")
  func deepest() async throws {
    let (store, run, _, _) = try await store()
    var inner = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, Quantity(150, .countPerMinute))
    for _ in 0..<2 { inner = .or([.and([.not(inner), .all]), .activityType(.yoga)]) }
    var outer = SamplePredicate.workoutActivity(inner)
    for _ in 0..<8 { outer = .or([.and([outer, .all]), .source("nobody")]) }
    #expect(try await SampleQuery(outer).result(for: store).value.map(\.id) == [run.id])
    #expect(try await SampleQuery(.not(.not(outer))).result(for: store).value.map(\.id) == [run.id])
  }

  @Test("deleting it keeps what was collected, and a tombstone has its type")
  func deletion() async throws {
    let (store, run, rates, distance) = try await store()
    try await store.delete([run.id], as: "test")
    #expect(try await Set(SampleQuery().result(for: store).value.map(\.id)) == [rates, distance])
    #expect(await refuses(.notFound) { _ = try await store.workout(run.id) })
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.deleted.map(\.id) == [run.id] && changes.deleted.map(\.type) == [.workout])
    let sql = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    for table in ["workout_parts", "workout_events", "workout_statistics", "associations"] {
      #expect(try sql.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(try await store.check() == [])
  }

  @Test("deleting what was collected takes its figures away, and leaves the others")
  func deletionOfSample() async throws {
    let (store, run, rates, distance) = try await store()
    try await store.delete([rates], as: "test")
    let found = try await store.workout(run.id)
    #expect(found.statistics(for: .heartRate) == nil && found.statistics(for: .distanceWalkingRunning)?.sum == 180)
    #expect(found.activities.allSatisfy { $0.allStatistics.map(\.type) == [.distanceWalkingRunning] })
    #expect(try await SampleQuery(.collected(in: run.id)).result(for: store).value.map(\.id) == [distance])
    let bpm = Quantity(0, .countPerMinute)
    let predicate = SamplePredicate.workoutActivity(.statistic(.average, of: .heartRate, .greater, bpm))
    #expect(try await SampleQuery(predicate).result(for: store).value.isEmpty)
    #expect(try await store.check() == [])
    try await store.delete(.collected(in: run.id), as: "test")
    #expect(try await store.workout(run.id).allStatistics.isEmpty)
    #expect(try await store.check() == [])
  }

  @Test("deleting what two workouts have collected takes its figures away from both")
  func deletionOfShared() async throws {
    let (store, run, rates, _) = try await store()
    let other = World.run()
    try await store.save([try NewSample(other, collected: [rates])], as: World.program)
    #expect(try await store.workout(other.id).statistics(for: .heartRate) != nil)
    try await store.delete([rates], as: "test")
    for id in [run.id, other.id] {
      #expect(try await store.workout(id).statistics(for: .heartRate) == nil)
    }
    #expect(try await store.check() == [])
  }

  @Test("a later version of what was collected makes the figures anew, and one of the workout replaces it")
  func versions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    func rates(_ value: Double, _ version: Int64) throws -> NewSample {
      try World.rates([(5, value)], sync: SyncIdentity(identifier: "rates", version: version))
    }
    func run(_ version: Int64, _ collected: [UUID]) throws -> NewSample {
      try NewSample(World.run(), collected: collected, sync: SyncIdentity(identifier: "run", version: version))
    }
    let (first, workout) = (try rates(120, 1), try run(1, []))
    try await store.save([first, try run(1, [first.id])], as: World.program)
    let id = try #require(try await store.identifiers(SampleQuery(.type(.workout))).first)
    #expect(try await store.workout(id).statistics(for: .heartRate)?.average == 120)
    #expect(try await store.save([try rates(130, 2)], as: World.program) == [.replaced])
    #expect(try await store.workout(id).statistics(for: .heartRate)?.average == 130)
    // One that stays as it is has another identifier in the store than the new one.
    let again = try rates(140, 2)
    let second = try run(2, [again.id])
    #expect(try await store.save([again, second, workout], as: World.program) == [.unchanged, .replaced, .unchanged])
    #expect(try await store.identifiers(SampleQuery(.type(.workout))) == [second.id])
    #expect(try await store.workout(second.id).statistics(for: .heartRate)?.average == 130)
    #expect(try await store.check() == [])
  }

  @Test("the rates and beats of a recording session are collected, also those of its later version")
  func session() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    var session = try makeSession(beats: 60)
    #expect(try await store.commit(session) == .stored)
    let samples = try await SampleQuery(.session(session.id)).result(for: store).value
    let kinds: Set<String> = ["heartRate", "heartbeatSeries"]
    let collected = samples.filter { kinds.contains($0.type.identifier) }.map(\.id)
    let span = try #require(TimeSpan(start: session.start, end: session.end))
    let workout = Workout(.init(.fitnessGaming), over: span)
    try await store.save(try NewSample(workout, collected: collected), as: World.program)
    let before = try #require(try await store.workout(workout.id).statistics(for: .heartRate))
    session.syncVersion += 1
    session.rates.removeFirst(10)
    #expect(try await store.commit(session) == .replaced)
    let after = try #require(try await store.workout(workout.id).statistics(for: .heartRate))
    // The first of them is cut to milliseconds, which are before the start of session and workout.
    #expect(after.count == before.count - 9 && after.count > 0)
    let now = try await SampleQuery(.collected(in: workout.id)).result(for: store).value
    #expect(Set(now.map(\.type.identifier)) == kinds && now.count == 2)
    #expect(try await store.check() == [])
    try await store.delete(session.id)
    #expect(try await store.workout(workout.id).allStatistics.isEmpty)
    #expect(try await store.check() == [])
  }

  @Test("only what is in the store can be collected, and no workout; then nothing is saved")
  func refusals() async throws {
    let (store, run, rates, _) = try await store()
    let missing = try NewSample(World.run(), collected: [rates, UUID()])
    #expect(await refuses(.notFound) { try await store.save(missing, as: World.program) })
    let nested = try NewSample(World.run(), collected: [run.id])
    #expect(await refuses(.invalid) { try await store.save(nested, as: World.program) })
    #expect(throws: WorkoutError.activityType(.yoga, in: .running)) {
      try NewSample(
        Workout(
          .init(.running), over: World.span(0, 9),
          activities: [WorkoutActivity(.init(.yoga), over: World.span(0, 9))]))
    }
    #expect(try await SampleQuery().result(for: store).value.count == 3)
    #expect(await refuses(.notFound) { _ = try await store.workout(rates) })
    // Named twice, it is collected once; and with two workouts.
    try await store.save(try NewSample(World.run(), collected: [rates, rates]), as: World.program)
    #expect(try await store.check() == [])
  }

  @Test("a reader who may not read a type learns no figure of it, and one who may not read workouts sees none")
  func scope() async throws {
    let (store, run, rates, _) = try await store()
    let bpm = Quantity(150, .countPerMinute)
    let predicate = SamplePredicate.workoutActivity(.statistic(.average, of: .heartRate, .greater, bpm))
    let scopes: [(ReadScope, isVisible: Bool, types: [String])] = [
      (
        ReadScope(types: ["workout", "heartRate", "distanceWalkingRunning"]), true,
        ["distanceWalkingRunning", "heartRate"]
      ),
      (ReadScope(types: ["workout", "heartRate"]), true, ["heartRate"]), (ReadScope(types: ["workout"]), true, []),
      (ReadScope(source: "test"), true, []), (ReadScope(objects: [run.id]), true, []),
      (ReadScope(types: ["heartRate"]), false, []), (ReadScope(), false, []),
    ]
    for (scope, isVisible, types) in scopes {
      let name = "\(scope)"
      if isVisible {
        let found = try await store.answer(workout: run.id, in: scope)
        #expect(found.allStatistics.map(\.type.identifier) == types, "\(name)")
        #expect(found.activities.allSatisfy { $0.allStatistics.map(\.type.identifier) == types })
        #expect(found.activities.count == 2 && found.events == run.events)
      } else {
        #expect(await refuses(.notFound) { _ = try await store.answer(workout: run.id, in: scope) })
      }
      #expect(try await store.answer(WorkoutQuery(), in: scope).count == (isVisible ? 1 : 0))
      let mayFind = isVisible && types.contains("heartRate")
      #expect(try await store.answer(WorkoutQuery(predicate), in: scope).count == (mayFind ? 1 : 0), "\(name)")
      let collected = try await store.answer(SampleQuery(.collected(in: run.id)), in: scope)
      #expect(
        collected.contains { $0.id == rates } == (isVisible && scope.types.contains("heartRate") || scope.source != nil)
      )
      // As if nothing of the type had been collected.
      #expect(
        try await store.answer(WorkoutQuery(.not(predicate)), in: scope).count == (isVisible && !mayFind ? 1 : 0))
    }
  }

  @Test(
    "what was changed or is missing is found by a check",
    arguments: [
      "DELETE FROM workout_parts WHERE ordinal = 2", "DELETE FROM workout_parts WHERE ordinal = 0",
      "DELETE FROM workout_events WHERE part = 1", "DELETE FROM workout_statistics WHERE part = 2",
      "UPDATE workout_parts SET metadata = '{' WHERE ordinal = 1", "UPDATE workout_statistics SET average = 1",
      "UPDATE workout_parts SET checksum = row_checksum(workout, ordinal, uuid, activity_type, location, swimming_location, lap_length, lap_unit, start, end, duration, events, metadata), metadata = NULL",
      "DELETE FROM associations WHERE role = 2 AND position = 0",
      "DELETE FROM workout_statistics WHERE type IN (SELECT id FROM types WHERE identifier = 'heartRate')",
    ])
  func damage(statement: String) async throws {
    let (store, _, _, _) = try await store()
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(statement)
    #expect(try await !store.check().isEmpty)
  }

  @Test("one whose rows are sound, and contradict each other, is damage")
  func contradiction() async throws {
    let columns = Schema.samples.columns.joined(separator: ", ")
    let parts = WorkoutTable.parts.columns.joined(separator: ", ")
    let figures = WorkoutTable.statistics.columns.joined(separator: ", ")
    for (set, table, names) in [
      ("value = 52", "samples", columns), ("duration = 5", "samples", columns), ("count = 1", "samples", columns),
      ("activity_type = 57", "workout_parts", parts), ("duration = 1", "workout_parts", parts),
      ("end = start - 1", "workout_parts", parts), ("events = 3", "workout_parts", parts),
      ("average = 1", "workout_statistics", figures), ("maximum = 1", "workout_statistics", figures),
    ] {
      let folder = TemporaryFolder()
      let store = try HealthStore.open(folder.store, for: .writing)
      let (rates, distance) = try World.samplesOfRun()
      try await store.save(
        [rates, distance, try NewSample(World.run(), collected: [rates.id, distance.id])], as: World.program)
      let condition =
        table == "samples" ? "WHERE duration = 90000000" : table == "workout_parts" ? "WHERE ordinal = 1" : ""
      let sql = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
      try sql.execute("UPDATE \(table) SET \(set) \(condition)")
      try sql.execute("UPDATE \(table) SET checksum = row_checksum(\(names))")
      #expect(try await store.check().count == 1, "\(table): \(set)")
    }
  }

  @Test("what was collected and cannot be read is damage of its own, and none of the workout's figures")
  func damagedSample() async throws {
    let (store, _, _, _) = try await store()
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(
      "UPDATE chunks SET payload = substr(payload, 1, 20) WHERE id = (SELECT min(id) FROM chunks)")
    let damages = try await store.check()
    #expect(!damages.isEmpty)
    #expect(!damages.contains { "\($0)".contains("its figures are not those of what was collected") }, "\(damages)")
  }

  @Test("what was collected can be deleted although the workout is damaged, and is gone from its figures")
  func damagedWorkout() async throws {
    let (store, _, rates, _) = try await store()
    let sql = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    try sql.execute("UPDATE workout_parts SET metadata = '{' WHERE ordinal = 1")
    try await store.delete([rates], as: "test")
    #expect(
      try sql.integer(
        "SELECT count(*) FROM workout_statistics WHERE type IN (SELECT id FROM types WHERE identifier = 'heartRate')")
        == 0)
  }

  @Test("a file from before there were any is read and checked as it is, and gets their tables when it is written")
  func earlierFile() async throws {
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      try await store.save(try World.samplesOfRun().rates, as: World.program)
      await store.close()
    }
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(
      """
      DROP VIEW workout_list; DROP VIEW activity_list; DROP TABLE workout_parts; DROP TABLE workout_events;
      DROP TABLE workout_statistics; DELETE FROM content_tables WHERE name LIKE 'workout_%';
      """)
    do {
      let reader = try HealthStore.open(folder.store, for: .reading)
      #expect(try await WorkoutQuery().result(for: reader).value.isEmpty)
      let bpm = Quantity(0, .countPerMinute)
      for predicate in [
        SamplePredicate.workout(.all), .workoutActivity(.all), .collected(in: UUID()),
        .workout(.statistic(.average, of: .heartRate, .greater, bpm)),
      ] {
        #expect(try await SampleQuery(predicate).result(for: reader).value.isEmpty)
        #expect(try await SampleQuery(.not(predicate)).result(for: reader).value.count == 1)
      }
      #expect(await refuses(.notFound) { _ = try await reader.workout(UUID()) })
      #expect(try await reader.check().allSatisfy { $0.problem.contains("_list is not this program's") })
      await reader.close()
    }
    let (store, run, _, _) = try await store()
    #expect(try await store.workout(run.id).activities.count == 2)
    #expect(try await store.check() == [])
    try await store.delete([run.id], as: "test")
    #expect(try await store.check() == [])
  }

  @Test("views list workouts and activities with the figures of the heart rate")
  func views() async throws {
    let (_, run, _, _) = try await store()
    let sql = try ReadOnlySQL(folder.store)
    let name = run.id.uuidString.lowercased().filter { $0 != "-" }
    #expect(
      try sql.all(
        "SELECT id, activity_type, start, location, average, activities, source, duration_us FROM workout_list")
        == [
          [
            .text(name), .integer(37), .text("2026-09-21T14:13:20.000Z"), .integer(3), .real(130), .integer(2),
            .text("test"), .integer(90_000_000),
          ]
        ])
    #expect(
      try sql.all("SELECT workout, position, activity_type, average, maximum, lap_length, lap_unit FROM activity_list")
        == [
          [.text(name), .integer(1), .integer(37), .real(120), .real(130), .null, .null],
          [.text(name), .integer(2), .integer(37), .real(160), .real(170), .real(400), .text("m")],
        ])
    #expect(
      try sql.all("SELECT role, position FROM association_list WHERE owner = '\(name)'")
        == [[.text("collected"), .integer(0)], [.text("collected"), .integer(1)]])
  }

  @Test("a live query is answered again when a figure changes with what was collected")
  func live() async throws {
    let (store, _, rates, _) = try await store()
    let bpm = Quantity(150, .countPerMinute)
    let predicate = SamplePredicate.workoutActivity(.statistic(.average, of: .heartRate, .greater, bpm))
    var counts: [Int] = []
    for try await answer in WorkoutQuery(predicate).results(for: store) {
      counts.append(answer.value.count)
      if counts.count == 2 { break }
      try await store.delete([rates], as: "test")
    }
    #expect(counts == [1, 0])
  }
}
