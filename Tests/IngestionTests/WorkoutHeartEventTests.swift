import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Testing
import Timeline

@testable import Ingestion

@Suite("Heart events beside workouts", .timeLimit(.minutes(5)))
struct WorkoutHeartEventTests {
  private static let running = WorkoutConfiguration(.running)

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  private static func span(_ start: Double, _ end: Double) -> TimeSpan {
    TimeSpan(start: wall(start), end: wall(end)) ?? TimeSpan(at: wall(start))
  }

  /// A stage whose recorder looks for rates above 120.
  private static func stage() async throws -> LoneRecorder {
    try await LoneRecorder { $0.eventRules = HeartEventRules(low: nil, high: 120) }
  }

  /// A strap sends 150 once a second.
  private static func record(
    _ seconds: ClosedRange<Int>, _ stage: LoneRecorder, _ recorder: Recorder,
    of strap: SensorAddress = LoneRecorder.strap
  ) async {
    for second in seconds {
      stage.setTime(Double(second))
      await recorder.record(.measurement([0x06, 150]), of: strap, at: Invented.at(Double(second)))
    }
  }

  private static func events(_ stage: LoneRecorder) async throws -> [TimeSpan] {
    let query = SampleQuery(.type(.category(.highHeartRateEvent)))
    return try await query.result(for: stage.openToRead()).value.map { span($0) }
  }

  private static func span(_ sample: HealthSample) -> TimeSpan {
    TimeSpan(start: sample.start, end: sample.end) ?? TimeSpan(at: sample.start)
  }

  /// The deletions that the store knows of.
  private static func deletions(_ stage: LoneRecorder) async throws -> Int {
    try await ChangeQuery(after: .start, predicate: .all).result(for: stage.openToRead()).value.deleted.count
  }

  @Test("ten minutes above 120 in a workout are no event, those after it are one, from its first rate after the end")
  func duringWorkout() async throws {
    let stage = try await Self.stage()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...200, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(201...1_000, stage, recorder)
        try await recorder.endWorkout(workout, waitsForRecovery: false)
        await Self.record(1_001...1_700, stage, recorder)
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await Self.events(stage) == [Self.span(1_001, 1_601)])
    // Nothing was told and taken back.
    #expect(try await Self.deletions(stage) == 0)
  }

  @Test("a session that goes on over a workout without a sensor of its own has its events around that alone")
  func aroundWorkout() async throws {
    let stage = try await Self.stage()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...750, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        await Self.record(751...900, stage, recorder)
        try await recorder.endWorkout(workout)
        await Self.record(901...1_600, stage, recorder)
      } catch {
        Issue.record("\(error)")
      }
    })
    // A rate of its very end is of the workout.
    #expect(try await Self.events(stage) == [Self.span(100, 700), Self.span(901, 1_501)])
  }

  @Test("a session that is stored while a workout goes on has no event of its time at any moment")
  func meanwhile() async throws {
    let stage = try await Self.stage()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        let session = try await recorder.beginSession(of: LoneRecorder.strap, for: Invented.game)
        await Self.record(102...900, stage, recorder)
        _ = try await recorder.endSession(session.request, .request)
        let sessions = try await HealthStore.open(stage.store, for: .reading).sessions()
        #expect(sessions.map(\.heartRate.count) == [799])
        #expect(try await Self.events(stage).isEmpty)
        try await recorder.endWorkout(workout)
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await Self.events(stage).isEmpty)
    #expect(try await Self.deletions(stage) == 0)
  }

  @Test("while a workout goes on nothing is told live, and what follows begins anew after it")
  func live() async throws {
    let stage = try await Self.stage()
    let told = stage.recorder.events(.heartEvents)
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...400, stage, recorder, of: LoneRecorder.other)
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        await Self.record(401...1_100, stage, recorder, of: LoneRecorder.other)
        try await recorder.endWorkout(workout)
        await Self.record(1_101...1_800, stage, recorder, of: LoneRecorder.other)
      } catch {
        Issue.record("\(error)")
      }
    })
    var spans: [TimeSpan] = []
    for await event in told { if case .heartEvent(let found) = event.kind { spans.append(found.span) } }
    #expect(spans == [Self.span(1_101, 1_701)])
  }

  @Test("the commit of a workout takes back the events of a session that was stored before anybody knew of it")
  func takenBack() async throws {
    let stage = try await Self.stage()
    try await stage.run(awaiting: { recorder in
      await Self.record(100...800, stage, recorder)
    })
    #expect(try await Self.events(stage) == [Self.span(100, 700)])
    let next = try await LoneRecorder(after: stage) { $0.eventRules = HeartEventRules(low: nil, high: 120) }
    // What another recorder left of a workout: its session is stored, its own end is not.
    try next.writeJournal { journal in
      try journal.open(
        LiveWorkout(
          identifier: Invented.session(8), uid: 1000, application: "org.example.Game", endsWithClient: false,
          configuration: Self.running, sensor: LoneRecorder.strap),
        records: [
          .boot(Invented.boot, at: Invented.at(150)),
          .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(150)),
          .call(.start, at: Invented.at(150)), .call(.end, at: Invented.at(190)),
        ])
    }
    next.setTime(900)
    try await next.run { _ in }
    #expect(try await next.workouts().count == 1)
    #expect(try await Self.events(next) == [Self.span(191, 791)])
    // A scan finds the same; once the workout is deleted, what was there before.
    let store = try HealthStore.open(next.store, for: .writing)
    let scan = EventScan(in: store, by: HeartEventRules(low: nil, high: 120))
    let session = try await store.session("last")
    #expect(try await scan.scan(session) == EventRenewal(added: 0, removed: 0, kept: 1))
    try await store.delete([Invented.session(8)], as: Invented.game.source)
    #expect(try await scan.scan(session) == EventRenewal(added: 1, removed: 1, kept: 0))
    await store.close()
    #expect(try await Self.events(next) == [Self.span(100, 700)])
  }
}
