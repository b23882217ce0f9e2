import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Testing
import Timeline

@testable import Ingestion

@Suite("The recovery after live workouts, and their heart events", .timeLimit(.minutes(5)))
struct RecorderRecoveryTests {
  private static let running = WorkoutConfiguration(.running)

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  /// 184 a minute up to second 300, falling to 134 in 50 s.
  private static func rate(at second: Int) -> Double { 184 - min(50, max(0, Double(second) - 300)) }

  /// A strap that sends beats of that rate each second, a little unequal as hearts are.
  private struct Strap {
    private var beat = 0.0
    private var count = 0
    private var previous = 0

    init(from second: Int) {
      beat = Double(second)
      previous = second * 1024
    }

    mutating func payload(at second: Int, isOffSkin: Bool = false) -> [UInt8] {
      let rate = RecorderRecoveryTests.rate(at: second)
      var bytes: [UInt8] = [isOffSkin ? 0x14 : 0x16, UInt8(rate)]
      while true {
        // Pairs of a longer and a shorter interval: intervals that follow from the rate would count as invented.
        let next = beat + 60 / rate * (count % 2 == 0 ? 1.01 : 0.99)
        guard next <= Double(second) else { break }
        (beat, count) = (next, count + 1)
        let ticks = Int((next * 1024).rounded())
        bytes += [UInt8((ticks - previous) & 0xFF), UInt8((ticks - previous) >> 8)]
        previous = ticks
      }
      return isOffSkin || bytes.count == 2 ? [bytes[0] & 0x0F, bytes[1]] : bytes
    }
  }

  private static func record(
    _ seconds: ClosedRange<Int>, _ strap: inout Strap, _ stage: LoneRecorder, _ recorder: Recorder,
    isOffSkin: Bool = false
  ) async {
    for second in seconds {
      stage.setTime(Double(second))
      let bytes = strap.payload(at: second, isOffSkin: isOffSkin)
      await recorder.record(.measurement(bytes), of: LoneRecorder.strap, at: Invented.at(Double(second)))
    }
  }

  /// A workout from second 200 to 300 whose end is waited for up to second 366, the strap off the skin from `offSkin` on.
  private static func run(
    _ stage: LoneRecorder, metadata: Metadata = [:], offSkin: Int = 1_000
  ) async throws {
    try await stage.run(awaiting: { recorder in
      do {
        var strap = Strap(from: 189)
        await record(190...200, &strap, stage, recorder)
        let workout = try await recorder.beginWorkout(running, for: Invented.game, metadata: metadata)
        await record(201...300, &strap, stage, recorder)
        let end = Task { try await recorder.endWorkout(workout) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        await record(301...min(364, offSkin - 1), &strap, stage, recorder)
        if offSkin <= 364 { await record(offSkin...364, &strap, stage, recorder, isOffSkin: true) }
        stage.setTime(365)
        await recorder.timerFired()
        try await end.value
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a fall from 184 to 134 is saved with its workout, with what is known of the exercise, and collected with it")
  func saved() async throws {
    let stage = try await LoneRecorder()
    try await Self.run(stage, metadata: [HeartRateRecovery.testTypeKey: 1])
    let sample = try #require(try await stage.samples(of: .heartRateRecoveryOneMinute).first)
    let fall = try #require(sample.summary?.mostRecent)
    #expect(abs(fall - 50) < 0.3, "\(fall)")
    #expect(sample.start == Self.wall(300) && sample.end == Self.wall(360))
    #expect(sample.source.identifier == "sensord" && sample.device?.localIdentifier == "\(LoneRecorder.strap)")
    #expect(
      sample.metadata == [
        HeartRateRecovery.testTypeKey: 1, HeartRateRecovery.activityTypeKey: 37,
        HeartRateRecovery.activityDurationKey: .quantity(Quantity(100, .second)),
        HeartRateRecovery.greatestRateKey: .quantity(Quantity(184, .countPerMinute)),
      ])
    let workout = try #require(try await stage.workouts().first)
    #expect(sample.id == workout.id.recoverySample)
    let collected = SampleQuery(.and([.collected(in: workout.id), .type(sample.type)]))
    #expect(try await stage.answer(collected).map(\.id) == [sample.id])
    #expect(workout.metadata[HeartRateRecovery.testTypeKey] == 1)
  }

  @Test("without a test type none is made up; a number that is none is not carried over")
  func unknownTest() async throws {
    for metadata: Metadata in [[:], [HeartRateRecovery.testTypeKey: 4], [HeartRateRecovery.testTypeKey: "hard"]] {
      let stage = try await LoneRecorder()
      try await Self.run(stage, metadata: metadata)
      let sample = try #require(try await stage.samples(of: .heartRateRecoveryOneMinute).first)
      #expect(sample.metadata[HeartRateRecovery.testTypeKey] == nil)
    }
  }

  @Test("a strap that is taken off before the minute is over leads to no recovery, and the workout is stored")
  func offSkin() async throws {
    let stage = try await LoneRecorder()
    try await Self.run(stage, offSkin: 350)
    #expect(try await stage.samples(of: .heartRateRecoveryOneMinute).isEmpty)
    #expect(try await stage.workouts().map(\.end) == [Self.wall(300)])
  }

  @Test("a strap without intervals leads to no recovery")
  func ratesAlone() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        func record(_ seconds: ClosedRange<Int>) async {
          for second in seconds {
            stage.setTime(Double(second))
            await recorder.record(
              .measurement([0x06, UInt8(Self.rate(at: second))]), of: LoneRecorder.strap,
              at: Invented.at(Double(second)))
          }
        }
        await record(190...200)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await record(201...300)
        let end = Task { try await recorder.endWorkout(workout) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        await record(301...364)
        stage.setTime(365)
        await recorder.timerFired()
        try await end.value
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await stage.workouts().first?.statistics(for: .heartRate)?.maximum == 184)
    #expect(try await stage.samples(of: .heartRateRecoveryOneMinute).isEmpty)
  }

  /// What a recorder left that was killed at second `last`: a workout that was stopped at 300.
  private static func leaveStopped(_ stage: LoneRecorder, until last: Int, _ strap: inout Strap) throws {
    let workout = LiveWorkout(
      identifier: Invented.session(8), uid: 1000, application: "org.example.Game", endsWithClient: false,
      configuration: running, request: Invented.session(7), sensor: LoneRecorder.strap)
    let session = CaptureHeader(
      session: Invented.session(7), sensor: SensorIdentity(address: LoneRecorder.strap, name: nil), source: "test",
      request: SessionRequest(
        identifier: Invented.session(7), uid: 1000, application: "org.example.Game", endsWithClient: false))
    let values = (201...last).map { second in
      SensorEvent(.measurement(strap.payload(at: second)), at: Invented.at(Double(second)))
    }
    try stage.writeJournal { journal in
      try journal.open(
        workout,
        records: [
          .boot(Invented.boot, at: Invented.at(200)),
          .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(200)),
          .call(.start, at: Invented.at(200)), .call(.stop, at: Invented.at(300)),
        ])
      try journal.open(session, events: Invented.present(200))
      for value in values { try journal.append(value, to: Invented.session(7)) }
    }
  }

  @Test("a recorder that was killed in the minute goes on with it, and saves the recovery")
  func killed() async throws {
    let stage = try await LoneRecorder()
    var left = Strap(from: 200)
    try Self.leaveStopped(stage, until: 320, &left)
    let strap = left
    stage.setTime(325)
    try await stage.run(awaiting: { recorder in
      var strap = strap
      #expect(await recorder.runningWorkouts.first?.session.state == .stopped)
      await Self.record(325...364, &strap, stage, recorder)
      #expect(await recorder.runningWorkouts.count == 1)
      stage.setTime(365)
      await recorder.timerFired()
      #expect(await recorder.runningWorkouts.isEmpty)
      await recorder.commitsEnded()
    })
    let sample = try #require(try await stage.samples(of: .heartRateRecoveryOneMinute).first)
    #expect(abs(try #require(sample.summary?.mostRecent) - 50) < 0.3)
    #expect(try await stage.workouts().map(\.id) == [Invented.session(8)])
  }

  @Test("a workout of two sessions has the recovery of the later one")
  func twoSessions() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        var strap = Strap(from: 189)
        await Self.record(190...200, &strap, stage, recorder)
        _ = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(201...250, &strap, stage, recorder)
      } catch {
        Issue.record("\(error)")
      }
    })
    let next = try await LoneRecorder(after: stage)
    next.setTime(250)
    try await next.run(awaiting: { recorder in
      do {
        var strap = Strap(from: 250)
        await Self.record(251...300, &strap, next, recorder)
        let workout = try #require(await recorder.runningWorkouts.first)
        let end = Task { try await recorder.endWorkout(workout.id) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        await Self.record(301...364, &strap, next, recorder)
        next.setTime(365)
        await recorder.timerFired()
        try await end.value
      } catch {
        Issue.record("\(error)")
      }
    })
    let sample = try #require(try await next.samples(of: .heartRateRecoveryOneMinute).first)
    #expect(abs(try #require(sample.summary?.mostRecent) - 50) < 0.3)
  }

  @Test("a recorder that was killed, and came back after the minute, stores the workout without a recovery")
  func killedForLong() async throws {
    let stage = try await LoneRecorder()
    var strap = Strap(from: 200)
    try Self.leaveStopped(stage, until: 320, &strap)
    stage.setTime(400)
    try await stage.run(awaiting: { recorder in await recorder.commitsEnded() })
    #expect(try await stage.workouts().map(\.end) == [Self.wall(300)])
    #expect(try await stage.samples(of: .heartRateRecoveryOneMinute).isEmpty)
    #expect(try stage.segments().isEmpty)
  }
}

extension LoneRecorder {
  fileprivate func answer(_ query: SampleQuery) async throws -> [HealthSample] {
    try await query.result(for: try openToRead()).value
  }
}
