import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion
@testable import SeriesStore

/// What a recorder of an earlier or a later version left while a workout was under way. The journals are fixed text: nothing of this
/// program has written them.
@Suite("A workout beside an update of the recorder", .timeLimit(.minutes(5)))
struct WorkoutUpdateTests {
  private static let workout = Invented.session(8)
  private static let running = WorkoutConfiguration(.running)

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  /// A run and one activity from 90 on, with no more than must be there: no metadata, no request, no length of a lap.
  private static let begun = """
    1 workout 08000000-0000-0000-0000-000000000000 1000 "org.example.Game" stays 37 1 0 sensor C0:FF:EE:00:00:01 e199519b
    1 4000000090000000 boot 00000000000000010000000000000002 4bc044be
    1 4000000090000000 clock -2210000000000000 7245ec6d
    1 4000000090000000 start 61a36b6a
    1 4000000090000000 activity 09000000-0000-0000-0000-000000000000 37 1 0 7dfdbd9c

    """
  /// A session of the strap from 90 on that nobody asked for: the rates 91 to 95, one a second.
  private static let session = """
    2 session 07000000-0000-0000-0000-000000000000 C0:FF:EE:00:00:01 - "sensord 0.1.0" 4e310377
    2 4000000090000000 boot 00000000000000010000000000000002 ecf35447
    2 4000000090000000 clock -2210000000000000 63d1112c
    2 4000000090000000 connected 7a5b72ea
    2 4000000091000000 m 105b0004 a54de623
    2 4000000092000000 m 105c0004 8ce78ff2
    2 4000000093000000 m 105d0004 2bf8839d
    2 4000000094000000 m 105e0004 3ff6e2e0
    2 4000000095000000 m 105f0004 78ac503f

    """

  /// A recorder whose store is of before there were workouts, and whose journal holds this.
  private static func recorder(_ journal: String) async throws -> LoneRecorder {
    let stage = try await LoneRecorder()
    try Connection(stage.store, flags: 2).execute(
      """
      DROP VIEW workout_list; DROP VIEW activity_list; DROP TABLE workout_parts; DROP TABLE workout_events;
      DROP TABLE workout_statistics; DELETE FROM content_tables WHERE name LIKE 'workout_%';
      """)
    try stage.writeSegment(journal)
    return stage
  }

  private static func record(_ seconds: ClosedRange<Int>, _ stage: LoneRecorder, _ recorder: Recorder) async {
    for second in seconds {
      stage.setTime(Double(second))
      await recorder.record(
        .measurement([0x10, UInt8(second), 0, 4]), of: LoneRecorder.strap, at: Invented.at(Double(second)))
    }
  }

  @Test("one of an earlier recorder goes on in a store of before workouts, with what that recorder had received")
  func earlier() async throws {
    let stage = try await Self.recorder("sensord-journal 2 23b397bb\n" + Self.begun + Self.session)
    try await stage.run(awaiting: { recorder in
      do {
        let found = await recorder.runningWorkouts
        #expect(found.map(\.id) == [Self.workout] && found.first?.owner == Invented.game)
        #expect(found.first?.session.state == .running && found.first?.session.currentActivity != nil)
        await Self.record(101...103, stage, recorder)
        stage.setTime(104)
        try await recorder.endWorkout(Self.workout, waitsForRecovery: false)
      } catch {
        Issue.record("\(error)")
      }
    })
    let stored = try await stage.workouts()
    #expect(stored.map(\.id) == [Self.workout])
    #expect(stored.first?.span == TimeSpan(start: Self.wall(90), end: Self.wall(104)))
    #expect(stored.first?.activities.map(\.id) == [Invented.session(9)])
    let rates = stored.first?.statistics(for: .heartRate)
    #expect(rates?.count == 8 && rates?.minimum == 91 && rates?.maximum == 103)
    let store = try stage.openToRead()
    #expect(try await store.check() == [])
    await store.close()
    #expect(try stage.segments().isEmpty)
  }

  @Test("a session of a recorder that knew no workouts goes on, and a workout may begin beside it")
  func beforeWorkouts() async throws {
    let stage = try await Self.recorder("sensord-journal 1 30e3644f\n" + Self.session)
    try await stage.run(awaiting: { recorder in
      do {
        #expect(await recorder.runningWorkouts.isEmpty)
        await Self.record(101...102, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(103...105, stage, recorder)
        stage.setTime(106)
        try await recorder.endWorkout(workout, waitsForRecovery: false)
      } catch {
        Issue.record("\(error)")
      }
    })
    let stored = try await stage.workouts()
    let rates = stored.first?.statistics(for: .heartRate)
    #expect(stored.count == 1 && rates?.count == 3 && rates?.minimum == 103 && rates?.maximum == 105)
    // Nothing of what was received before is lost.
    let store = try stage.openToRead()
    let values = try await QuantityQuery(.heartRate).result(for: store).value.map(\.value).sorted()
    #expect(values == [91, 92, 93, 94, 95, 101, 102, 103, 104, 105])
    #expect(try await store.check() == [])
    await store.close()
  }

  @Test("the journal of a later recorder is refused by name and kept as it is, and a new workout begins beside it")
  func later() async throws {
    let journal = "sensord-journal 3 d1d814b8\n" + Self.begun + Self.session
    let stage = try await Self.recorder(journal)
    try await stage.run(awaiting: { recorder in
      do {
        #expect(await recorder.runningWorkouts.isEmpty)
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        stage.setTime(105)
        try await recorder.endWorkout(workout, waitsForRecovery: false)
      } catch {
        Issue.record("\(error)")
      }
    })
    let stored = try await stage.workouts()
    #expect(stored.count == 1 && stored.first?.id != Self.workout)
    #expect(stored.first?.statistics(for: .heartRate)?.count == 3)
    #expect(try stage.segments() == ["00000001.journal.newer-version-3"])
    #expect(try stage.segment("00000001.journal.newer-version-3") == journal)
  }
}
