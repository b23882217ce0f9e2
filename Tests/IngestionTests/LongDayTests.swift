import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Ingestion

/// A day that is longer than a session may be: 25 hours of one workout, over midnight, with a recorder that is exchanged meanwhile.
@Suite("A workout of 25 hours", .timeLimit(.minutes(10)))
struct LongDayTests {
  private static let running = WorkoutConfiguration(.running)
  private static let hours = 25
  /// Seconds between two values: one a second in the soak.
  private static var step: Int { Trials.factor >= 10 ? 1 : 20 }

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  /// The rate of a second: another one in each hour, and never the same twice in a row.
  private static func rate(_ second: Int) -> UInt8 { UInt8(60 + 4 * (second / 3600) + second / step % 7) }

  /// The strap's values of an hour since the workout's begin, with an activity of its own and a minute of pause in its middle.
  private static func hour(_ hour: Int, of workout: UUID, _ stage: LoneRecorder, _ recorder: Recorder) async throws {
    for second in stride(from: hour * 3600, to: (hour + 1) * 3600, by: step) {
      // Nothing that is done falls on the moment of a value.
      let now = Double(200 + second)
      stage.setTime(now)
      switch second - hour * 3600 {
      case 0: try await recorder.change(workout, .beginActivity(UUID(), running))
      case 1800: try await recorder.change(workout, .pause)
      case 1860: try await recorder.change(workout, .resume)
      default: break
      }
      stage.setTime(now + 0.5)
      let rate = rate(second)
      await recorder.record(.measurement([0x10, rate, 0, 4]), of: LoneRecorder.strap, at: recorder.clock.now())
    }
    await recorder.timerFired()
  }

  /// The rates of an hour that are none of its pause.
  private static func plain(_ hour: Int) -> [Double] {
    stride(from: hour * 3600, to: (hour + 1) * 3600, by: step)
      .filter { !(1800..<1860).contains($0 - hour * 3600) }.map { Double(rate($0)) }
  }

  private static func agrees(_ figures: WorkoutStatistics?, _ values: [Double]) -> Bool {
    guard let figures, let average = figures.average else { return false }
    return figures.count == values.count && figures.minimum == values.min() && figures.maximum == values.max()
      && abs(average - values.reduce(0, +) / Double(values.count)) < 1e-9 && figures.mostRecent == values.last
  }

  @Test(
    "each hour, and the whole, has the figures of a plain computation, though its sessions and recorders are several")
  func day() async throws {
    let stage = try await LoneRecorder()
    let change = 13
    try await stage.run(awaiting: { recorder in
      do {
        stage.setTime(199)
        await recorder.record(.measurement([0x10, 50, 0, 4]), of: LoneRecorder.strap, at: recorder.clock.now())
        stage.setTime(200)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        for hour in 0..<change { try await Self.hour(hour, of: workout, stage, recorder) }
      } catch {
        Issue.record("\(error)")
      }
    })
    // A second recorder, of the same version, takes over.
    let next = try await LoneRecorder(after: stage)
    next.setTime(Double(200 + change * 3600) - 1)
    try await next.run(awaiting: { recorder in
      do {
        guard let workout = await recorder.runningWorkouts.first?.id else {
          Issue.record("it is over")
          return
        }
        for hour in change..<Self.hours { try await Self.hour(hour, of: workout, next, recorder) }
        next.setTime(Double(200 + Self.hours * 3600))
        try await recorder.endWorkout(workout, waitsForRecovery: false)
      } catch {
        Issue.record("\(error)")
      }
    })
    let workout = try #require(try await next.workouts().first)
    #expect(workout.start == Self.wall(200) || workout.start == Self.wall(199), "\(workout.start)")
    #expect(workout.end == Self.wall(Double(200 + Self.hours * 3600)))
    #expect(workout.activities.count == Self.hours)
    for (hour, activity) in workout.activities.enumerated() {
      #expect(workout.duration(of: activity) == .seconds(3540), "hour \(hour)")
      #expect(
        Self.agrees(activity.statistics(for: .heartRate), Self.plain(hour)),
        "hour \(hour): \(String(describing: activity.statistics(for: .heartRate)))")
    }
    #expect(Self.agrees(workout.statistics(for: .heartRate), (0..<Self.hours).flatMap(Self.plain)))
    let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, Quantity(158, .countPerMinute))
    let store = try next.openToRead()
    #expect(try await store.identifiers(SampleQuery(.workoutActivity(hard))) == [workout.id])
    #expect(try await store.check() == [])
    await store.close()
  }
}
