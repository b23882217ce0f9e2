import FoundationEssentials
import HealthModel
import SeriesStore

/// Workouts: finding some of many by their figures, and reading the figures of one.
enum Workouts {
  private static let source = SourceRevision(identifier: "bench", name: "Bench")

  private static func time(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  private static func span(_ start: Int64, _ end: Int64) -> TimeSpan {
    TimeSpan(start: time(start), end: time(end)) ?? TimeSpan(at: time(start))
  }

  /// Saves `count` workouts of five activities, each with a rate in every activity, and one of four hours with 30,000 values.
  ///
  /// Every fifth workout is hard: one of its activities has an average above 150 count/min.
  static func load(_ count: Int, into path: String) async throws {
    let store = try HealthStore.open(path, for: .writing)
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<Int64(count) {
      let begin = 1_600_000_000 + number * 10_000
      var builder = QuantitySeriesBuilder(type: .heartRate, start: time(begin))
      for place in 0..<5 as Range<Int64> {
        let rate = number % 5 == 0 && place == number / 5 % 5 ? 151 + number % 30 : 100 + (number + place) % 50
        for second in [0, 300] as [Int64] {
          try builder.insert(
            Double(rate), from: time(begin + place * 600 + second), to: time(begin + place * 600 + second))
        }
      }
      let rates = try builder.finish()
      let activities = (0..<5 as Range<Int64>).map {
        WorkoutActivity(.init(.running), over: span(begin + $0 * 600, begin + $0 * 600 + 500))
      }
      let workout = Workout(.init(.running), over: span(begin, begin + 3000), activities: activities)
      try await store.save([rates, try NewSample(workout, collected: [rates.id])], as: source)
    }
    StoreBenchmark.show("workouts-insert-seconds", (clock.now - start) / .seconds(1))
    try await saveLong(in: store)
    await store.close()
  }

  private static func saveLong(in store: HealthStore) async throws {
    let begin: Int64 = 1_700_500_000
    var samples: [NewSample] = []
    for type in [QuantityType.heartRate, .runningPower, .distanceWalkingRunning] {
      var builder = QuantitySeriesBuilder(type: type, start: time(begin))
      for index in 0..<10_000 as Range<Int64> {
        let start = time(begin).advanced(byMicroseconds: index * 1_440_000)
        let length: Int64 = type == .distanceWalkingRunning ? 1_440_000 : 0
        try builder.insert(Double(100 + index % 60), from: start, to: start.advanced(byMicroseconds: length))
      }
      samples.append(try builder.finish())
    }
    let activities = (0..<5 as Range<Int64>).map {
      WorkoutActivity(.init(.running), over: span(begin + $0 * 2880, begin + ($0 + 1) * 2880))
    }
    let workout = Workout(
      .init(.running), over: span(begin, begin + 14_400), activities: activities, metadata: ["long": true])
    let new = try NewSample(workout, collected: samples.map(\.id))
    try await store.save(samples + [new], as: source)
  }

  /// Identifiers of the workouts with an activity average above 150, and figures of the long one.
  static func query(_ path: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, Quantity(150, .countPerMinute))
    let query = SampleQuery(.workoutActivity(hard))
    let found = try await StoreBenchmark.time("activity-average-identifiers", times: 41) {
      try await store.identifiers(query)
    }
    StoreBenchmark.show("found", found.count)
    let unordered = SampleQuery(.workoutActivity(hard), order: [])
    _ = try await StoreBenchmark.time("activity-average-identifiers-as-saved", times: 41) {
      try await store.identifiers(unordered)
    }
    guard let long = try await store.identifiers(SampleQuery(.hasMetadata("long"))).first else {
      throw BenchmarkError.usage
    }
    let figures = try await StoreBenchmark.time("figures-of-a-long-workout", times: 41) {
      let workout = try await store.workout(long)
      return (
        workout.statistics(for: .heartRate)?.average,
        workout.activities.map { $0.statistics(for: .runningPower)?.count }
      )
    }
    StoreBenchmark.show("figures", "\(figures)")
  }
}
