import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Ingestion

@Suite("The commit of a live workout, and what it waits for", .timeLimit(.minutes(5)))
struct WorkoutCommitTests {
  private static let workout = Invented.session(8)
  private static let request = Invented.session(7)

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  /// A workout that began at 90, and its session, with a value for each of these seconds.
  private static func leave(_ journal: Journal, values: ClosedRange<Int>, calls: [WorkoutRecord] = []) throws {
    try journal.open(
      LiveWorkout(
        identifier: workout, uid: 1000, application: "org.example.Game", endsWithClient: false,
        configuration: WorkoutConfiguration(.running), request: request,
        sensor: LoneRecorder.strap),
      records: [
        .boot(Invented.boot, at: Invented.at(90)),
        .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(90)),
        .call(.start, at: Invented.at(90)),
      ])
    try journal.open(
      CaptureHeader(
        session: request, sensor: SensorIdentity(address: LoneRecorder.strap, name: nil), source: "test",
        request: SessionRequest(
          identifier: request, uid: 1000, application: "org.example.Game", endsWithClient: false)),
      events: Invented.present(90))
    for second in values {
      try journal.append(
        SensorEvent(.measurement([0x10, UInt8(second), 0, 4]), at: Invented.at(Double(second))), to: request)
    }
    for call in calls { try journal.append([call], toWorkout: workout) }
  }

  @Test("a workout waits for a session of its sensor that is not stored yet, and not for one that began after it")
  func waits() async throws {
    let folder = TemporaryFolder()
    let (journal, _) = try Journal.open(directory: folder.path + "/journal")
    try Self.leave(
      journal, values: 91...95,
      calls: [.call(.stop, at: Invented.at(96)), .call(.end, at: Invented.at(96))])
    try journal.append(SensorEvent(.ended(.request), at: Invented.at(96)), to: Self.request)
    let store = try HealthStore.open(folder.store, for: .recording)
    let committer = SessionCommitter(
      store: store, journal: journal, archive: nil, version: "test", eventRules: HeartEventRules())
    do {
      _ = try await committer.commit(workout: Self.workout, besides: [Invented.session(9)])
      Issue.record("it did not wait")
    } catch {
      guard case .sessionsMissing = error else { throw error }
    }
    #expect(try await WorkoutQuery().result(for: store).value.isEmpty)
    _ = try await committer.commit(Self.request, now: (0, 0), during: [Self.workout])
    #expect(try await committer.commit(workout: Self.workout, besides: []).outcome == .stored)
    let stored = try await store.workout(Self.workout)
    #expect(stored.statistics(for: .heartRate)?.count == 5 && stored.end == Self.wall(96))
    // The session that goes on is of later values.
    let other = TemporaryFolder()
    let (open, _) = try Journal.open(directory: other.path + "/journal")
    try Self.leave(open, values: 91...95, calls: [.call(.end, at: Invented.at(96))])
    let second = SessionCommitter(
      store: try HealthStore.open(other.store, for: .recording), journal: open, archive: nil, version: "test",
      eventRules: HeartEventRules())
    #expect(try await second.commit(workout: Self.workout, besides: [Self.request]).outcome == .stored)
  }

  @Test("a workout that is committed again, since its end was lost from the journal, is stored once")
  func twice() async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .recording)
    for name in ["one", "two"] {
      let (journal, _) = try Journal.open(directory: folder.path + "/" + name)
      try Self.leave(journal, values: 91...95, calls: [.call(.end, at: Invented.at(96))])
      try journal.append(SensorEvent(.ended(.request), at: Invented.at(96)), to: Self.request)
      let committer = SessionCommitter(
        store: store, journal: journal, archive: nil, version: "test", eventRules: HeartEventRules())
      _ = try await committer.commit(Self.request, now: (0, 0))
      let outcome = try await committer.commit(workout: Self.workout, besides: []).outcome
      #expect(outcome == (name == "one" ? .stored : .unchanged))
    }
    #expect(try await WorkoutQuery().result(for: store).value.count == 1)
  }

  @Test("a session that a killed recorder left open within a workout goes on, and its values are of one workout")
  func openSession() async throws {
    let stage = try await LoneRecorder()
    try stage.writeJournal { journal in
      try Self.leave(journal, values: 91...95, calls: [.call(.pause, at: Invented.at(94))])
    }
    try await stage.run(awaiting: { recorder in
      do {
        #expect(await recorder.runningWorkouts.first?.session.state == .paused)
        for second in 101...103 {
          stage.setTime(Double(second))
          await recorder.record(
            .measurement([0x10, UInt8(second), 0, 4]), of: LoneRecorder.strap, at: Invented.at(Double(second)))
        }
        try await recorder.change(Self.workout, .resume)
        for second in 104...106 {
          stage.setTime(Double(second))
          await recorder.record(
            .measurement([0x10, UInt8(second), 0, 4]), of: LoneRecorder.strap, at: Invented.at(Double(second)))
        }
        stage.setTime(107)
        try await recorder.endWorkout(Self.workout, waitsForRecovery: false)
      } catch {
        Issue.record("\(error)")
      }
    })
    let stored = try #require(try await stage.workouts().first)
    let rates = stored.statistics(for: .heartRate)
    // Before the pause 91 to 93, after it 104 to 106.
    #expect(rates?.count == 6 && rates?.minimum == 91 && rates?.maximum == 106)
    #expect(stored.span == TimeSpan(start: Self.wall(90), end: Self.wall(107)))
    #expect(stored.duration == .seconds(8))
    #expect(try stage.segments().isEmpty)
  }
}
