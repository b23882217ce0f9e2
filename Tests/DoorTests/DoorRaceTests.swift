import DBus
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

@testable import Door
@testable import Ingestion

/// A race of swimming, cycling and running in three and a half hours, a run of four intervals and an easy one, by a program on the
/// bus. The recorder's time is simulated; one value comes in the middle of each second.
@Suite("A race and four intervals at the door", .timeLimit(.minutes(10)))
struct DoorRaceTests {
  /// What the heart does in an activity: from one rate to another, with a wave on it, and even in the last 20 s.
  private struct Leg {
    var type: String
    var minutes: Int
    var from: Double
    var to: Double

    var rates: [UInt8] {
      let count = minutes * 60
      return (0..<count).map { second in
        guard second < count - 20 else { return UInt8(to) }
        let share = Double(second) / Double(count)
        return UInt8(min(max(from, to), from + (to - from) * share + 4 * Double(second % 3 - 1)).rounded())
      }
    }
  }

  private static let race = [
    Leg(type: "swimming", minutes: 35, from: 120, to: 148), Leg(type: "transition", minutes: 4, from: 140, to: 136),
    Leg(type: "cycling", minutes: 100, from: 130, to: 150), Leg(type: "transition", minutes: 3, from: 138, to: 132),
    Leg(type: "running", minutes: 68, from: 150, to: 184),
  ]
  private static let intervals = [150, 156, 162, 168].map {
    Leg(type: "running", minutes: 4, from: $0 - 6, to: $0 + 8)
  }

  /// A strap that sends a rate in the middle of each second, and the beats since.
  private struct Strap {
    private var (second, beat, ticks, count) = (0.0, 0.0, 0, 0)

    /// The values with these rates, a second apart.
    mutating func values(_ rates: [UInt8]) -> [[UInt8]] {
      rates.map { rate in
        var bytes: [UInt8] = [0x16, rate]
        // A longer and a shorter one in turn: intervals that follow from the rate would count as invented.
        while case let next = beat + 60 / Double(rate) * (count % 2 == 0 ? 1.01 : 0.99), next <= second + 0.5 {
          (beat, count) = (next, count + 1)
          let end = Int((next * 1024).rounded())
          bytes += [UInt8((end - ticks) & 0xFF), UInt8((end - ticks) >> 8)]
          ticks = end
        }
        if bytes.count == 2 { bytes[0] = 0x06 }
        second += 1
        return bytes
      }
    }
  }

  /// In the minute after a workout the heart falls to 134 in 25 s.
  private static let fall = (0..<64).map { UInt8(max(134, 184 - 2 * $0)) }

  /// The figures of values by a plain computation.
  private struct Plain: Equatable {
    var count: Int
    var average: Double
    var minimum: Double
    var maximum: Double
    var last: Double

    init(_ values: [Double]) {
      count = values.count
      average = values.reduce(0, +) / Double(values.count)
      minimum = values.min() ?? 0
      maximum = values.max() ?? 0
      last = values.last ?? 0
    }

    func agrees(count: Int?, _ average: Double?, _ minimum: Double?, _ maximum: Double?, _ last: Double?) -> Bool {
      guard let average else { return false }
      return count == self.count && abs(average - self.average) < 1e-9 && minimum == self.minimum
        && maximum == self.maximum && last == self.last
    }

    func agrees(_ figures: WorkoutStatistics?) -> Bool {
      agrees(count: figures?.count, figures?.average, figures?.minimum, figures?.maximum, figures?.mostRecent)
    }

    func agrees(_ figures: [String: Value]?) -> Bool {
      agrees(
        count: figures?["count"]?.integer, figures?["average"]?.double, figures?["minimum"]?.double,
        figures?["maximum"]?.double, figures?["mostRecent"]?.double)
    }
  }

  /// Plays the legs through the door; between two legs of intervals a minute is free.
  ///
  /// - Returns: The workout's identifier, and the values that the strap sent in each leg.
  private func play(
    _ legs: [Leg], as type: String, on stage: DoorStage, _ game: Connection, _ clock: SimulatedClock,
    _ strap: inout Strap, freeSeconds: Int = 0
  ) async throws -> (id: UUID, legs: [[UInt8]]) {
    var told = await game.signals("Workout1").makeAsyncIterator()
    await stage.pass(strap.values([90]), clock)
    let options: [String: Value] = ["activityType": .string(type), "location": .string("outdoor")]
    let path = try #require(try await game.ask("Workouts1", "Begin", [.properties(options)])[0].objectPath)
    for leg in legs {
      _ = try await game.ask(
        "Workout1", "BeginActivity", [.properties(["activityType": .string(leg.type)])], at: path)
      await stage.pass(strap.values(leg.rates), clock)
      let live = try await game.ask("Workout1", "Statistics", [.string("heartRate")], at: path)[0].properties
      #expect(Plain(leg.rates.map(Double.init)).agrees(live?["activity"]?.properties), "live, \(leg.type)")
      #expect(live?["currentActivityType"] == .string(leg.type))
      guard freeSeconds > 0 else { continue }
      _ = try await game.ask("Workout1", "EndActivity", [.int64(0)], at: path)
      await stage.pass(strap.values(Array(repeating: 110, count: freeSeconds)), clock)
    }
    let id = try await game.ask("Workout1", "End", [.properties([:])], at: path)[0].string
    await stage.pass(strap.values(Self.fall), clock)
    await stage.recorder.timerFired()
    #expect(try await game.properties(at: path, "Workout1")["State"] == .string("recovering"))
    await stage.pass(strap.values([134]), clock)
    await stage.recorder.timerFired()
    #expect(await told.next("Stored")?.body[0].string == id)
    return (try #require(id.flatMap { UUID(uuidString: $0) }), legs.map(\.rates))
  }

  @Test("each activity has the figures of a plain computation, and those that were hard are found, and only those")
  func race() async throws {
    let clock = SimulatedClock()
    let readable = ["workout", "heartRate", "heartRateRecoveryOneMinute"].map { ($0, Permission.read) }
    let grants = ([("workout", .share)] + readable).map {
      Grant(
        client: DoorStage.gameClient, type: $0.0, permission: $0.1, decision: .allowed,
        decided: Timestamp(microseconds: 0))
    }
    let stage = try await DoorStage(inAdvance: grants, clock: clock.host)
    let game = try await stage.connectGame()
    var strap = Strap()
    let race = try await play(Self.race, as: "swimBikeRun", on: stage, game, clock, &strap)
    let intervals = try await play(Self.intervals, as: "running", on: stage, game, clock, &strap, freeSeconds: 60)
    let easy = try await play(
      [Leg(type: "running", minutes: 50, from: 118, to: 142)], as: "running", on: stage, game, clock,
      &strap)

    let store = try HealthStore.open(stage.store, for: .reading)
    for (id, legs) in [race, intervals, easy] {
      let workout = try await store.workout(id)
      let exported = try await game.lines(
        "quantities",
        [
          "type": .string("heartRate"), "predicate": .properties(["collected_in": .string(id.uuidString.lowercased())]),
        ]
      ).compactMap { line in line.startMicroseconds.flatMap { start in line.value.map { (start, $0) } } }
      func values(in span: TimeSpan) -> [Double] {
        exported.filter { $0.0 >= span.start.microseconds && $0.0 < span.end.microseconds }.map(\.1)
      }
      #expect(Plain(values(in: workout.span)).agrees(workout.statistics(for: .heartRate)))
      #expect(workout.activities.count == legs.count)
      for (activity, sent) in zip(workout.activities, legs) {
        let own = values(in: activity.span)
        #expect(own == sent.map(Double.init))
        #expect(Plain(own).agrees(activity.statistics(for: .heartRate)))
      }
    }
    let whole = try await store.workout(race.id)
    #expect(whole.duration == .seconds(210 * 60) && whole.activities.count == 5)
    #expect(
      whole.activities.map(\.configuration.activityType) == [.swimming, .transition, .cycling, .transition, .running])
    #expect(whole.statistics(for: .heartRate)?.maximum == 184)
    let recoveries = try await game.lines("quantities", ["type": .string("heartRateRecoveryOneMinute")])
    let recovery = try #require(recoveries.first { $0.startMicroseconds == whole.end.microseconds }?.value)
    #expect(abs(recovery - 50) < 0.3, "\(recovery)")
    let averages = try await store.workout(intervals.id).activities.compactMap {
      $0.statistics(for: .heartRate)?.average
    }
    #expect(averages.count == 4 && zip(averages, averages.dropFirst()).allSatisfy { $0 < $1 })

    func found(_ conditions: [String: Value], of part: String) async throws -> [String] {
      try await game.lines(
        "samples", ["predicate": .properties(["type": .string("workout"), part: .properties(conditions)])]
      ).compactMap(\.id)
    }
    func figure(_ name: String, _ comparison: String, _ value: Double) -> Value {
      .structure([
        .string(name), .string("heartRate"), .string(comparison), .double(value), .string("count/min"),
      ])
    }
    let hard = ["statistic": figure("average", "greater", 150)]
    let both = [race.id, intervals.id].map { $0.uuidString.lowercased() }
    #expect(try await found(hard, of: "workout_activity") == both)
    // The race as a whole was not that hard.
    #expect(try await found(hard, of: "workout").isEmpty)
    let cycling = hard.merging(["activity_types": .strings(["cycling"])]) { $1 }
    #expect(try await found(cycling, of: "workout_activity").isEmpty)
    #expect(
      try await found(["statistic": figure("maximum", "greaterOrEqual", 184)], of: "workout_activity") == [both[0]])
    #expect(try await store.check() == [])
    await stage.end()
  }
}
