import FoundationEssentials
import HealthModel
import SeriesStore
import Synchronization
import Testing

@testable import Ingestion

/// Callers that wait for the end of a workout, in each turn of the loop in which something else ends it.
extension RecorderWorkoutsTests {
  @Test("who waits for the end of a workout that is discarded meanwhile learns that there is none")
  func discardedWhileEnding() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        let end = Task { try await recorder.endWorkout(workout) }
        let stored = Task { try await recorder.workoutStored(workout) }
        while await recorder.waits(for: workout) != 2 { await Task.yield() }
        try await recorder.discardWorkout(workout)
        await #expect(throws: WorkoutRequestFailure.discarded) { try await end.value }
        await #expect(throws: WorkoutRequestFailure.discarded) { try await stored.value }
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await stage.workouts().isEmpty)
  }

  @Test(
    "the stop is answered at once; the store is waited for through its failures, and a workout that goes on says so")
  func stoppedAndWaitedFor() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let lasting = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        await #expect(throws: WorkoutRequestFailure.notOpen) { try await recorder.stopWorkout(UUID()) }
        await #expect(throws: WorkoutRequestFailure.notOpen) { try await recorder.workoutStored(UUID()) }
        try await recorder.stopWorkout(workout)
        #expect(await recorder.liveWorkout(workout)?.session.state == .stopped)
        let stored = Task { try await recorder.workoutStored(workout) }
        while await recorder.waits(for: workout) == 0 { await Task.yield() }
        try await recorder.stopWorkout(workout, waitsForRecovery: false)
        #expect(await recorder.liveWorkout(workout)?.session.state != .stopped)
        try await stored.value
        #expect(await recorder.liveWorkout(workout) == nil)
        #expect(try await recorder.stored(workout).end == Self.wall(104))
        let goesOn = Task { try await recorder.workoutStored(lasting) }
        while await recorder.waits(for: lasting) == 0 { await Task.yield() }
        recorder.requestStop()
        await #expect(throws: WorkoutRequestFailure.notRecording) { try await goesOn.value }
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("who asks for a workout when the recorder has ended is answered at once")
  func afterTheEnd() async throws {
    let stage = try await LoneRecorder()
    let begun = Mutex<UUID?>(nil)
    try await stage.run { recorder in
      let workout = try? recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
      begun.withLock { $0 = workout }
    }
    let workout = try #require(begun.withLock { $0 })
    await #expect(throws: WorkoutRequestFailure.notRecording) { try await stage.recorder.workoutStored(workout) }
    await #expect(throws: WorkoutRequestFailure.notRecording) { try await stage.recorder.endWorkout(workout) }
  }

  /// The task belongs to no loop. So the recorder's loop does other things at each call between its functions.
  @Test("who ends a workout is told, in whichever turn of the loop the next one cuts it short", arguments: 0..<10)
  func overtaken(turns: Int) async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let first = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        let end = Task.detached { try await recorder.endWorkout(first) }
        await recorder.turn(turns, after: first) { _ = try? $0.beginWorkout(Self.running, for: Invented.game) }
        try await end.value
        #expect(try await recorder.stored(first).end == Self.wall(104))
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("who asks for the end in whichever turn of the recorder's own end is told when it is stored", arguments: 0..<10)
  func askedAtTheEnd(turns: Int) async throws {
    let stage = try await LoneRecorder()
    let asked = Mutex<Task<WorkoutRequestFailure?, Never>?>(nil)
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        try await recorder.stopWorkout(workout)
        recorder.requestStop()
        await recorder.turn(turns) { _ in
          let end = Task.detached { () async -> WorkoutRequestFailure? in
            do throws(WorkoutRequestFailure) { try await recorder.endWorkout(workout) } catch { return error }
            return nil
          }
          asked.withLock { $0 = end }
        }
      } catch {
        Issue.record("\(error)")
      }
    })
    let failure = await asked.withLock { $0 }?.value
    // The store may have it already.
    #expect(failure == nil || failure == .notOpen)
    #expect(try await stage.workouts().map(\.end) == [Self.wall(104)])
  }
}
