import FoundationEssentials
import HealthModel
import SeriesStore

/// The code that the articles of the documentation quote, compiled and run: each `snippet` stands in one of them word for
/// word.
enum ArticleExamples {
  static func record(_ path: String) async throws -> UUID {
    // snippet: open
    let store = try HealthStore.open(path, for: .writing)
    // end

    // snippet: quantities
    let strap = Device(name: "H10", manufacturer: "Polar", localIdentifier: "C0:FF:EE:00:00:01")
    let start = Timestamp(milliseconds: 1_714_920_600_000)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start, device: strap)
    for (second, rate) in [(0, 64.0), (2, 66), (4, 67), (6, 65), (8, 63)] as [(Int64, Double)] {
      let moment = TimeSpan(at: start.advanced(byMicroseconds: second * 1_000_000))
      try builder.insert(Quantity(rate, .countPerMinute), for: moment)
    }
    let program = SourceRevision(identifier: "com.example.gym", name: "Gym", version: "1.0")
    let rates = try builder.finish(metadata: ["room": "second floor"], sync: .init(identifier: "class-42", version: 1))
    try await store.save([rates], as: program)
    // end

    // snippet: beats
    var beats = HeartbeatSeriesBuilder(timescale: 1024)
    try beats.beginRun(AffineTimeMap(anchor: start))
    try beats.add(rrTicks: 945, flags: .firstOfRun)
    try beats.add(rrTicks: 960)
    try beats.add(rrTicks: 1920, precededByGap: true)
    if let series = NewSample(heartbeats: try beats.finish(), device: strap) {
      try await store.save([series], as: program)
    }
    // end

    // snippet: delete
    try await store.delete([rates.id], as: "com.example.gym")
    // end
    return rates.id
  }

  static func ownType(_ path: String) async throws -> [QuantityType] {
    // snippet: own type
    let mood = try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
    let diary = try HealthStore.open(path, for: .writing, types: QuantityTypeRegistry([mood]))
    // end
    let now = TimeSpan(at: Timestamp(microseconds: 0))
    let sample = try NewSample(mood, Quantity(4, .count), over: now)
    try await diary.save(sample, as: SourceRevision(identifier: "test", name: "Test"))
    return try await diary.quantityTypes()
  }

  static func otherKinds(_ store: HealthStore, as program: SourceRevision) async throws -> ([CategoryValue], [Double]) {
    // snippet: category
    let night = DateInterval(start: Date(timeIntervalSince1970: 1_714_950_000), duration: 1800)
    let stage = NewSample(.sleepAnalysis, .asleepDeep, over: TimeSpan(night), device: Device(name: "Ring"))
    try await store.save(stage, as: program)
    // end

    // snippet: correlation
    let moment = TimeSpan(at: Timestamp(night.start))
    let pressure = try NewSample(
      .bloodPressure,
      of: [
        NewSample(.bloodPressureSystolic, Quantity(120, .millimeterOfMercury), over: moment),
        NewSample(.bloodPressureDiastolic, Quantity(80, .millimeterOfMercury), over: moment),
      ], metadata: ["arm": "left"])
    try await store.save(pressure, as: program)
    // end

    // snippet: prescription
    let glasses = GlassesPrescription(
      rightEye: try GlassesLensSpecification(sphere: Quantity(1.25, .diopter)),
      leftEye: try GlassesLensSpecification(sphere: Quantity(1.5, .diopter), axis: Quantity(90, .degree)))
    let prescription = try NewSample(
      .glasses(glasses), issued: moment.start, metadata: [VisionPrescription.glassesDescriptionKey: "Reading glasses"])
    try await store.save([prescription], as: program)
    let lenses = try await VisionPrescriptionQuery(prescription.id).result(for: store).value
    // end
    _ = lenses

    var stages: [CategoryValue] = []
    // snippet: stages
    let asleep = SampleQuery(
      .and([.type(.category(.sleepAnalysis)), .value(CategoryValue.allAsleepValues)]))
    for sample in try await asleep.result(for: store).value {
      if let stage = sample.category { stages.append(stage) }
    }
    // end

    var values: [Double] = []
    // snippet: parts
    for whole in try await SampleQuery(.type(.correlation(.bloodPressure))).result(for: store).value {
      let parts = SampleQuery(.part(of: whole.id), order: [.init(.change)])
      for part in try await parts.result(for: store).value {
        if let value = part.summary?.mostRecent { values.append(value) }
      }
    }
    // end
    return (stages, values)
  }

  static func workouts(
    _ store: HealthStore, on morning: Date, as program: SourceRevision
  ) async throws -> ([Double], Int) {
    let start = Timestamp(morning)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start)
    for second in 0..<100 as Range<Int64> {
      let moment = TimeSpan(at: start.advanced(by: .seconds(second)))
      try builder.insert(Quantity(second < 60 ? 140 : 160, .countPerMinute), for: moment)
    }
    let pulse = try builder.finish()
    // snippet: run
    let intervals = [0, 60].map { second in
      WorkoutActivity(
        WorkoutConfiguration(.running),
        over: TimeSpan(DateInterval(start: morning.addingTimeInterval(second), duration: 40)))
    }
    let run = Workout(
      WorkoutConfiguration(.running, location: .outdoor), over: TimeSpan(DateInterval(start: morning, duration: 100)),
      activities: intervals)
    try await store.save([pulse, NewSample(run, collected: [pulse.id])], as: program)
    // end
    // snippet: route
    var way = WorkoutRouteBuilder()
    try way.insertRouteData([
      RouteLocation(at: run.start, latitude: 52.5145, longitude: 13.3501, altitude: 34),
      RouteLocation(at: run.end, latitude: 52.5163, longitude: 13.3777, horizontalAccuracy: 5),
    ])
    let route = try way.finishRoute(with: run, metadata: ["name": "Tiergarten"])
    try await store.save(NewSample(route), as: program)
    let locations = try await WorkoutRouteQuery(route.id).result(for: store).value
    // end
    guard locations == route.locations else { throw StoreError(.invalid, "the route is another") }

    var averages: [Double] = []
    var count = 0
    // snippet: hard
    let hard = WorkoutPredicate.and([
      .statistic(.average, of: .heartRate, .greater, Quantity(150, .countPerMinute)),
      .duration(.greaterOrEqual, .seconds(30)),
    ])
    for workout in try await WorkoutQuery(.workoutActivity(hard)).result(for: store).value {
      for activity in workout.activities {
        if let average = activity.statistics(for: .heartRate)?.average { averages.append(average) }
      }
      let collected = try await SampleQuery(.collected(in: workout.id)).result(for: store).value
      count += collected.count
    }
    // end
    return (averages, count)
  }

  static func coding(_ samples: [HealthSample]) throws -> [HealthSample] {
    // snippet: coding
    let json = try JSONEncoder().encode(samples)
    let again = try JSONDecoder().decode([HealthSample].self, from: json)
    // end
    return again
  }

  static func query(_ store: HealthStore, from: Timestamp, to: Timestamp) async throws -> (Int, Int, Int) {
    // snippet: samples
    let fast = SampleQuery(
      .and([
        .type(.quantity(.heartRate)), .time(from: from, to: to, strictness: .start),
        .summary(.maximum, .greater, Quantity(66, .countPerMinute)),
      ]),
      order: [.init(.start, isDescending: true)], limit: 10)
    let samples = try await fast.result(for: store).value
    // end

    // snippet: values
    let merged = try await QuantityQuery(.heartRate, from: from, to: to).result(for: store).value
    var above65 = 0
    for quantity in merged where quantity.value > 65 { above65 += 1 }
    // end

    // snippet: variability
    var intervals = 0
    for sample in try await SampleQuery(.type(.heartbeatSeries)).result(for: store).value {
      let series = try await HeartbeatQuery(sample.id).result(for: store).value
      intervals += NNIntervals(series).count
    }
    // end
    return (samples.count, above65, intervals)
  }

  static func chart(_ store: HealthStore, from: Timestamp, to: Timestamp) async throws -> [String] {
    var lines: [String] = []
    // snippet: chart
    let berlin = try TimeZoneRules.named("Europe/Berlin")
    let day = try CalendarInterval(parsing: "1d")
    let strap = DataSource(source: "com.example.gym", device: "C0:FF:EE:00:00:01")
    let query = try StatisticsCollectionQuery(
      .heartRate, [.average, .minimum, .maximum], buckets: .natural(day, zone: berlin), from: from, to: to,
      policy: .holdLast(maximumGapMicroseconds: WeightingPolicy.standardGapMicroseconds), priority: [strap])
    for bucket in try await query.result(for: store).value {
      guard let average = bucket.average else { continue }
      lines.append("\(bucket.start.iso8601()): \(average), \(bucket.coverage.fraction) covered, \(bucket.policy)")
    }
    // end
    return lines
  }

  static func live(_ store: HealthStore, saving sample: NewSample) async throws -> [Int] {
    var counts: [Int] = []
    // snippet: live
    let query = try StatisticsCollectionQuery(.heartRate, buckets: .single)
    for try await snapshot in query.results(for: store) {
      counts.append(snapshot.value.first?.count ?? 0)
      if counts.count == 2 { break }
      try await store.save([sample], as: SourceRevision(identifier: "com.example.gym", name: "Gym"))
    }
    // end
    return counts
  }

  static func changes(_ store: HealthStore, seen: ChangeAnchor) async throws -> ChangeAnchor {
    // snippet: changes
    let changes = try await ChangeQuery(after: seen).result(for: store).value
    for sample in changes.added { print("new: \(sample.type), \(sample.count) values") }
    for object in changes.deleted { print("gone: \(object.id)") }
    let next = changes.anchor
    // end
    return next
  }

  static func follow(_ path: String, kept: String, until count: Int) async throws -> (ids: Set<UUID>, kept: String) {
    // snippet: follow
    let store = try HealthStore.open(path, for: .reading, observing: true)
    var copies: Set<UUID> = []
    var anchor = ChangeAnchor(kept) ?? .start
    following: while true {
      do throws(StoreError) {
        for try await snapshot in ChangeQuery(after: anchor, limit: 1000).results(for: store) {
          let changes = snapshot.value
          copies.subtract(changes.deleted.map(\.id))
          copies.formUnion(changes.sessions.map(\.id) + changes.added.map(\.id))
          anchor = changes.anchor  // to be kept with the copies, in one transaction
          if copies.count == count { break following }
        }
        break
      } catch {
        guard error.code == .foreignAnchor || error.code == .lostAnchor else { throw error }
        (copies, anchor) = ([], .start)  // another history: everything anew
      }
    }
    // end
    return (copies, anchor.description)
  }

  static func sql(_ path: String) throws -> [[SQLValue]] {
    var found: [[SQLValue]] = []
    // snippet: sql
    let sql = try ReadOnlySQL(path)
    var rows = try sql.rows(of: "SELECT time, rr_ms FROM beats WHERE flags = '' ORDER BY time")
    while let row = try rows.next() { found.append(row) }
    // end
    return found
  }
}
