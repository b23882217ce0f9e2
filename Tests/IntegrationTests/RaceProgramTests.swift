import Foundation
import HealthModel
import SensordClient
import SeriesStore
import TestSupport
import Testing

/// A race, four intervals and an easy run by a program with SensordClient: beside it a recorder and a strap, as processes. A thirtieth
/// of their time, all of it in the soak.
@Suite("A race by a program with SensordClient", .timeLimit(.minutes(20)))
struct RaceProgramTests {
  private static let application = "org.example.Race"

  /// What the heart does in an activity: from one rate to another.
  private struct Leg {
    var type: WorkoutActivityType
    var minutes: Int
    var from: Double
    var to: Double

    var seconds: Int { minutes * 2 * min(30, Trials.factor) }
  }

  private static let race = [
    Leg(type: .swimming, minutes: 35, from: 120, to: 148), Leg(type: .transition, minutes: 4, from: 140, to: 136),
    Leg(type: .cycling, minutes: 100, from: 130, to: 150), Leg(type: .transition, minutes: 3, from: 138, to: 132),
    Leg(type: .running, minutes: 68, from: 150, to: 184),
  ]
  private static let intervals = [150, 156, 162, 168].map {
    Leg(type: .running, minutes: 4, from: $0, to: $0 + 8)
  }
  private static let easy = Leg(type: .running, minutes: 50, from: 118, to: 142)
  /// The strap's second in which the race begins, and those between one workout and the next.
  private static let (begin, pause) = (10, 80)

  /// The heart, second by second: 20 s more of the race's last rate, and a fall to 134.
  private static var rates: [Double] {
    func rates(_ leg: Leg) -> [Double] {
      (0..<leg.seconds).map { leg.from + (leg.to - leg.from) * Double($0) / Double(max(1, leg.seconds - 20)) }
        .map { min($0, max(leg.from, leg.to)) }.map { max($0, min(leg.from, leg.to)) }
    }
    let fall = (0..<pause).map { max(134, 184 - max(0, Double($0) - 10) * 50 / 25) }
    return Array(repeating: 90, count: begin) + race.flatMap(rates) + fall + intervals.flatMap(rates)
      + Array(repeating: 110, count: pause) + rates(easy) + Array(repeating: 100, count: pause)
  }

  /// What the strap sends: each beat in the second in which it ends. It trembles by a hundredth, so that its intervals are not taken for
  /// made up from the rate.
  private static var items: [String] {
    var (items, beat, ticks) = ([String](), 0.0, 0)
    for (second, rate) in rates.enumerated() {
      var intervals: [String] = []
      while case let interval = 60 / rate * (1 + 0.01 * sin(9 * beat)), beat + interval <= Double(second + 1) {
        beat += interval
        let next = Int((beat * 1024).rounded())
        intervals.append("\(Double(next - ticks) * 1000 / 1024)")
        ticks = next
      }
      items.append(
        #"{"t": \#(second + 1), "bpm": \#(Int(rate.rounded())), "rr_ms": [\#(intervals.joined(separator: ", "))]}"#)
    }
    return items
  }

  private static func agrees(_ figures: WorkoutStatistics?, _ values: [Double]) -> Bool {
    guard let figures, let average = figures.average else { return false }
    return figures.count == values.count && figures.minimum == values.min() && figures.maximum == values.max()
      && abs(average - values.reduce(0, +) / Double(values.count)) < 1e-9 && figures.mostRecent == values.last
  }

  /// Plays the legs, each as an activity of one workout; returns when the workout is stored.
  private func play(
    _ legs: [Leg], as type: WorkoutActivityType, _ client: SensordClient, on stage: WorkoutStage,
    recovers: Bool = false
  ) async throws -> UUID {
    let workout = try await client.startWorkout(WorkoutConfiguration(type, location: .outdoor))
    for leg in legs {
      try await workout.beginNewActivity(WorkoutConfiguration(leg.type))
      try await pass(leg.seconds, on: stage)
    }
    guard recovers else { return try await workout.end(recovery: false) }
    let end = Task { try await workout.end() }
    try await stage.recovers()
    try await pass(Self.pause - 5, on: stage)
    return try await end.value
  }

  /// Lets so many seconds pass, in parts that a slow machine can wait for.
  private func pass(_ seconds: Int, on stage: WorkoutStage) async throws {
    for begin in stride(from: 0, to: seconds, by: 300) {
      try await stage.recording.pass(Int64(min(300, seconds - begin)))
    }
  }

  /// Lets time pass until the strap has sent what is due at that second.
  private func pass(to second: Int, on stage: WorkoutStage) async throws {
    try await pass(second - Int(stage.recording.lastSent(by: WorkoutStage.strap)), on: stage)
  }

  @Test(
    "each activity has the figures of what is exported, the maximum and the recovery are right, and hard ones are found"
  )
  func race() async throws {
    let stage = try await WorkoutStage(speed: 120, items: Self.items)
    let recording = stage.recording
    let types = "workout,heartRate,heartRateRecoveryOneMinute"
    let allowed = try Program.run(
      "sensord", ["grants", "allow", "\(Self.application)@\(getuid())", "--share", "workout", "--read", types],
      environment: recording.personEnvironment.merging(recording.clockEnvironment) { $1 })
    #expect(allowed.status == 0, "\(allowed.errors)")
    let client = try await SensordClient.connect(to: .address(recording.bus.address), application: Self.application)
    try await pass(to: Self.begin, on: stage)
    let race = try await play(Self.race, as: .swimBikeRun, client, on: stage, recovers: true)
    let over = Self.begin + Self.race.map(\.seconds).reduce(0, +) + Self.pause
    try await pass(to: over, on: stage)
    let intervals = try await play(Self.intervals, as: .running, client, on: stage)
    try await pass(to: over + Self.intervals.map(\.seconds).reduce(0, +) + Self.pause, on: stage)
    let easy = try await play([Self.easy], as: .running, client, on: stage)

    let file = try HealthStore.open(recording.store, for: .reading)
    let workouts: [Workout] = try await WorkoutQuery().result(for: file).value
    await file.close()
    #expect(workouts.map(\.id) == [race, intervals, easy])
    for workout in workouts {
      let exported = try await QuantityQuery(.heartRate, predicate: .collected(in: workout.id)).result(for: client)
      func values(in span: TimeSpan) -> [Double] {
        exported.filter { $0.span.start >= span.start && $0.span.start < span.end }.map(\.value)
      }
      #expect(Self.agrees(workout.statistics(for: .heartRate), values(in: workout.span)))
      for activity in workout.activities {
        #expect(Self.agrees(activity.statistics(for: .heartRate), values(in: activity.span)))
      }
    }
    let whole = try #require(workouts.first)
    let length = Self.race.map(\.seconds).reduce(0, +)
    #expect(abs(whole.duration / .seconds(1) - Double(length)) < 5)
    #expect(
      whole.activities.map(\.configuration.activityType) == [.swimming, .transition, .cycling, .transition, .running])
    #expect(whole.statistics(for: .heartRate)?.maximum == 184)
    let recoveries = try await QuantityQuery(.heartRateRecoveryOneMinute, predicate: .all).result(for: client)
    #expect(recoveries.count == 1 && abs((recoveries.first?.value ?? 0) - 50) < 0.5, "\(recoveries.map(\.value))")
    let averages = workouts[1].activities.compactMap { $0.statistics(for: .heartRate)?.average }
    #expect(averages.count == 4 && zip(averages, averages.dropFirst()).allSatisfy { $0 < $1 }, "\(averages)")
    let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, Quantity(150, .countPerMinute))
    let found = try await SampleQuery(.workoutActivity(hard)).result(for: client)
    #expect(found.map(\.id) == [race, intervals])
    print(
      "a race of \(length) s: maximum \(whole.statistics(for: .heartRate)?.maximum ?? 0), "
        + "recovery \(recoveries.first?.value ?? 0), \(whole.statistics(for: .heartRate)?.count ?? 0) rates")
    await client.close()
    // Its end takes time.
    try recording.thaw()
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }
}
