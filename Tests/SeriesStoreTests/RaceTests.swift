import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// A race of swimming, cycling and running in three and a half hours, a run of four intervals, and easy runs.
@Suite("A race and four intervals")
struct RaceTests {
  private let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "watch", name: "Watch")
  private let bpm = { Quantity($0, Unit.countPerMinute) }

  /// What the heart does in an activity: from one rate to another, with a wave on it.
  private struct Leg {
    var type: WorkoutActivityType
    var minutes: Int
    var from: Double
    var to: Double
  }

  private static let race = [
    Leg(type: .swimming, minutes: 35, from: 120, to: 148), Leg(type: .transition, minutes: 4, from: 140, to: 136),
    Leg(type: .cycling, minutes: 100, from: 130, to: 150), Leg(type: .transition, minutes: 3, from: 138, to: 132),
    Leg(type: .running, minutes: 68, from: 150, to: 180),
  ]

  /// Plain values beside the workout, second by second from its start.
  private struct Recorded {
    var workout: Workout
    var rates: [Double] = []
    /// Metres in each second.
    var distance: [Double] = []
    var type: QuantityType
  }

  /// Plays the legs through a session, and saves the workout with its samples; between two legs of intervals a minute is free.
  private func play(
    _ legs: [Leg], as type: WorkoutActivityType, on day: Int, pausingAt pause: Int? = nil, freeSeconds: Int = 0,
    into store: HealthStore
  ) async throws -> Recorded {
    let begin = Timestamp(microseconds: (1_780_000_000 + Int64(day) * 86_400) * 1_000_000)
    func time(_ second: Int) -> Timestamp { begin.advanced(byMicroseconds: Int64(second) * 1_000_000) }
    var session = try WorkoutSession(WorkoutConfiguration(type, location: .outdoor))
    try session.prepare(at: time(-30))
    try session.startActivity(at: time(0))
    var rates: [Double] = []
    var distance: [Double] = []
    for leg in legs {
      try session.beginNewActivity(.init(leg.type), at: time(rates.count))
      for second in 0..<leg.minutes * 60 {
        let share = Double(second) / Double(leg.minutes * 60)
        rates.append((leg.from + (leg.to - leg.from) * share + 4 * Double(second % 3 - 1)).rounded())
        distance.append(leg.type == .cycling ? 9 : leg.type == .running ? 3 : 1)
        if rates.count == pause {
          try session.pause(at: time(rates.count))
          try session.resume(at: time(rates.count + 60))
        }
      }
      if freeSeconds > 0 {
        try session.endCurrentActivity(on: time(rates.count))
        for _ in 0..<freeSeconds {
          rates.append(110)
          distance.append(0)
        }
      }
    }
    try session.stopActivity(at: time(rates.count))
    try session.end(at: time(rates.count + 65))
    var series = QuantitySeriesBuilder(type: .heartRate, start: begin)
    var beats = HeartbeatSeriesBuilder(timescale: 1000)
    for (second, rate) in rates.enumerated() {
      try series.insert(rate, from: time(second), to: time(second))
      if second > 0 { try beats.add(atTicks: Int64(second) * 1000, since: begin, precededByGap: false, flags: []) }
    }
    let metres: QuantityType = legs.contains { $0.type == .cycling } ? .distanceCycling : .distanceWalkingRunning
    var way = QuantitySeriesBuilder(type: metres, start: begin)
    for start in stride(from: 0, to: distance.count, by: 10) {
      let end = min(start + 10, distance.count)
      try way.insert(distance[start..<end].reduce(0, +), from: time(start), to: time(end))
    }
    let samples = [try series.finish(), try way.finish(), try #require(NewSample(heartbeats: try beats.finish()))]
    var builder = try WorkoutBuilder(of: session)
    try builder.addMetadata(["day": .integer(Int64(day))])
    let workout = try builder.finishWorkout()
    try await store.save(samples + [try NewSample(workout, collected: samples.map(\.id))], as: program)
    return Recorded(workout: try await store.workout(workout.id), rates: rates, distance: distance, type: metres)
  }

  /// Whether the figures of a span are those of the plain seconds, without those of the pause.
  private func agrees(
    _ figures: [WorkoutStatistics], _ recorded: Recorded, over span: TimeSpan, without pause: ClosedRange<Int>?
  ) -> Bool {
    let first = Int(span.start.microseconds(since: recorded.workout.start) / 1_000_000)
    let last = Int(span.end.microseconds(since: recorded.workout.start) / 1_000_000)
    let values = (first..<last).filter { pause?.contains($0) != true }.map { recorded.rates[$0] }
    // Of the second that begins with the end of the pause, all of the way is behind it.
    let way = (first..<last).filter { second in
      pause.map { second < $0.lowerBound || second >= $0.upperBound } ?? true
    }
    let metres = way.map { recorded.distance[$0] }.reduce(0, +)
    guard let rates = figures.first(where: { $0.type == .heartRate }),
      let distance = figures.first(where: { $0.type == recorded.type })?.sum, let average = rates.average
    else { return false }
    return rates.count == values.count && rates.minimum == values.min() && rates.maximum == values.max()
      && abs(average - values.reduce(0, +) / Double(values.count)) < 1e-9 && abs(distance - metres) < 1e-6
      && rates.mostRecent == values.last
  }

  @Test("each activity has the figures of a plain computation, and those that were hard are found, and only those")
  func race() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let race = try await play(Self.race, as: .swimBikeRun, on: 0, into: store)
    let intervals = try await play(
      [150, 156, 162, 168].map { Leg(type: .running, minutes: 4, from: $0 - 6, to: $0 + 8) }, as: .running, on: 1,
      freeSeconds: 60, into: store)
    let easy = try await play([Leg(type: .running, minutes: 50, from: 118, to: 142)], as: .running, on: 2, into: store)
    let paused = try await play(
      [Leg(type: .walking, minutes: 20, from: 90, to: 115)], as: .walking, on: 3, pausingAt: 300, into: store)

    #expect(race.workout.duration == .seconds(210 * 60) && race.workout.activities.count == 5)
    #expect(race.workout.statistics(for: .heartRate)?.maximum == 184)
    #expect(intervals.workout.activities.count == 4 && intervals.workout.duration == .seconds(20 * 60))
    #expect(paused.workout.duration == .seconds(19 * 60))
    let all: [(Recorded, ClosedRange<Int>?)] = [(race, nil), (intervals, nil), (easy, nil), (paused, 300...360)]
    for (recorded, pause) in all {
      let workout = recorded.workout
      #expect(agrees(workout.allStatistics, recorded, over: workout.span, without: pause))
      for activity in workout.activities {
        #expect(agrees(activity.allStatistics, recorded, over: activity.span, without: pause))
      }
    }
    let averages = intervals.workout.activities.compactMap { $0.statistics(for: .heartRate)?.average }
    #expect(averages.count == 4 && zip(averages, averages.dropFirst()).allSatisfy { $0 < $1 })

    func found(_ predicate: SamplePredicate) async throws -> [UUID] {
      try await WorkoutQuery(predicate).result(for: store).value.map(\.id)
    }
    let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, bpm(150))
    #expect(try await found(.workoutActivity(hard)) == [race.workout.id, intervals.workout.id])
    // The race as a whole was not that hard.
    #expect(try await found(.workout(hard)).isEmpty)
    // A program with grants is answered on a way of its own.
    func seen(_ predicate: SamplePredicate) async throws -> [UUID] {
      let scope = ReadScope(types: ["workout", "heartRate"])
      return try await store.answer(SampleQuery(.and([.type(.workout), predicate])), in: scope).map(\.id)
    }
    #expect(try await seen(.workoutActivity(hard)) == [race.workout.id, intervals.workout.id])
    #expect(try await seen(.workout(hard)).isEmpty)
    #expect(try await found(.workoutActivity(.and([hard, .activityType(.cycling)]))).isEmpty)
    #expect(
      try await found(.workoutActivity(.statistic(.maximum, of: .heartRate, .greaterOrEqual, bpm(184))))
        == [race.workout.id])
    let beats = try await SampleQuery(.and([.collected(in: race.workout.id), .type(.heartbeatSeries)])).result(
      for: store)
    #expect(beats.value.map(\.count) == [210 * 60 - 1])
    #expect(try await store.check() == [])
  }
}
