import FoundationEssentials
import HealthModel

@testable import SeriesStore

/// Workouts and samples in whole seconds, for tests.
enum WorkoutWorld {
  static let program = SourceRevision(identifier: "test", name: "Test")

  static func time(_ second: Int) -> Timestamp { Timestamp(microseconds: (1_790_000_000 + Int64(second)) * 1_000_000) }

  static func span(_ start: Int, _ end: Int) -> TimeSpan { TimeSpan(start: time(start), end: time(end))! }

  /// A value at each of these seconds.
  static func rates(
    _ rows: [(second: Int, value: Double)], id: UUID = UUID(), sync: SyncIdentity? = nil
  ) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: time(rows.map(\.second).min() ?? 0))
    for row in rows { try builder.insert(row.value, from: time(row.second), to: time(row.second)) }
    return try builder.finish(id: id, sync: sync)
  }

  /// An amount over each of these times.
  static func amounts(_ type: QuantityType, _ rows: [(start: Int, end: Int, value: Double)]) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: type, start: time(rows.map(\.start).min() ?? 0))
    for row in rows { try builder.insert(row.value, from: time(row.start), to: time(row.end)) }
    return try builder.finish()
  }

  /// A run with two intervals, whose figures are known: 120 and 160 count/min, 100 m and 60 m.
  static func run(id: UUID = UUID(), metadata: Metadata = ["shoes": "red"]) -> Workout {
    Workout(
      id: id, WorkoutConfiguration(.running, location: .outdoor), over: span(0, 100),
      events: [WorkoutEvent(.pause, at: time(40)), WorkoutEvent(.resume, at: time(50))],
      activities: [
        WorkoutActivity(
          .init(.running), over: span(0, 40),
          events: [WorkoutEvent(.lap, over: span(0, 20), metadata: ["no": 1, "wind": 0.5, "note": "a \"b\" é\n"])],
          metadata: ["effort": .quantity(Quantity(7, .percent))]),
        WorkoutActivity(.init(.running, lapLength: Quantity(400, .meter)), over: span(60, 90)),
      ], metadata: metadata)
  }

  static func samplesOfRun() throws -> (rates: NewSample, distance: NewSample) {
    (
      try rates([(0, 110), (10, 120), (20, 130), (45, 190), (60, 150), (70, 170), (99, 100)]),
      try amounts(.distanceWalkingRunning, [(0, 40, 100), (60, 100, 80)])
    )
  }
}

extension ReadOnlySQL {
  /// Every row of an answer.
  func all(_ text: String) throws -> [[SQLValue]] {
    var rows = try rows(of: text)
    var found: [[SQLValue]] = []
    while let row = try rows.next() { found.append(row) }
    return found
  }
}
