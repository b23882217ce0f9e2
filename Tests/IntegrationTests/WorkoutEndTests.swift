import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// `sensord workout end`, which waits for the recovery, whatever happens meanwhile.
@Suite("The end of a workout that is waited for in a shell", .timeLimit(.minutes(10)))
struct WorkoutEndTests {
  /// A heart at 184 for 100 s, which falls to 134 in half a minute and stays there: each beat in the second in which it ends. It trembles
  /// by a hundredth, so that its intervals are not taken for made up from the rate.
  private static let falling = {
    var (items, beat, ticks) = ([String](), 0.0, 0)
    for second in 1...320 {
      let rate = min(184, max(134, 184 - (Double(second) - 100) * 50 / 30))
      var intervals: [String] = []
      while case let interval = 60 / rate * (1 + 0.01 * sin(9 * beat)), beat + interval <= Double(second) {
        beat += interval
        let next = Int((beat * 1024).rounded())
        intervals.append("\(Double(next - ticks) * 1000 / 1024)")
        ticks = next
      }
      items.append(
        #"{"t": \#(second), "bpm": \#(Int(rate.rounded())), "rr_ms": [\#(intervals.joined(separator: ", "))]}"#)
    }
    return items
  }()

  @Test("a heart that falls from 184 to 134 in the minute after the end is stored as a recovery of 50, and shown")
  func recovery() async throws {
    let stage = try await WorkoutStage(speed: 12, items: Self.falling)
    let begun = try stage.workout("start", "running")
    #expect(begun.status == 0, "\(begun.errors)")
    let id = String(begun.output.dropLast())
    // The end is between 80 and 95 s, so that all of the fall lies in between the two means.
    try await stage.recording.pass(Int64(85 - stage.recording.lastSent(by: WorkoutStage.strap)))
    let waiting = try stage.started("end")
    try await stage.recovers()
    try stage.recording.thaw()
    #expect(try await waiting.exitStatus() == 0, "\(waiting.text)")
    #expect(waiting.text.hasSuffix("\(id)\n"), "\(waiting.text)")
    let shown = try Program.run("sensord", ["recovery", id, "--json", "--store", stage.recording.store])
    let document = try stage.object(shown.output)
    let fall = try #require(document["heartRateRecoveryOneMinute"] as? Double, "\(shown.output)")
    #expect(abs(fall - 50) < 0.3)
    let file = try HealthStore.open(stage.recording.store, for: .reading)
    let saved = try await SampleQuery(.type(.quantity(.heartRateRecoveryOneMinute))).result(for: file).value
    #expect(saved.count == 1 && abs((saved.first?.summary?.mostRecent ?? 0) - fall) < 0.01)
    let end = try await stage.stored(id).end
    #expect(saved.first?.start == end)
    await file.close()
    let text = try Program.run("sensord", ["show", id, "--store", stage.recording.store]).output
    #expect(text.contains("\nRecovery  50"), "\(text)")
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }

  @Test("it goes on waiting when the recorder is killed and another takes its place")
  func killedRecorder() async throws {
    let stage = try await WorkoutStage()
    let (id, waiting) = try await stage.ending()
    try await stage.recorder.kill()
    let next = try await stage.nextRecorder()
    // It goes on with the recovery, and another shell cuts that short; or it has nobody to listen to, and stores it.
    let again = try stage.workout("end", "--no-recovery", "--workout", id)
    #expect(again.status == 0 || again.status == 66, "\(again.errors)")
    #expect(try await waiting.exitStatus() == 0, "\(waiting.text)")
    #expect(waiting.text.hasSuffix("\(id)\n"), "\(waiting.text)")
    _ = try await stage.stored(id)
    #expect(try await next.terminate() == 0, "\(next.text)")
  }

  @Test("where the recorder is gone for good it says so, and the next one stores the workout")
  func goneRecorder() async throws {
    let stage = try await WorkoutStage()
    let (id, waiting) = try await stage.ending()
    try await stage.recorder.kill()
    #expect(try await waiting.exitStatus() == 69)
    #expect(
      waiting.text
        == "sensord: the recorder ended meanwhile; the workout is safe, and stored when it runs again\n",
      "\(waiting.text)")
    let next = try await stage.nextRecorder()
    _ = try stage.workout("end", "--no-recovery", "--workout", id)
    _ = try await stage.stored(id)
    #expect(try await next.terminate() == 0, "\(next.text)")
  }

  @Test("where the bus ends it says so at once, and the recorder goes on")
  func goneBus() async throws {
    let stage = try await WorkoutStage()
    let (id, waiting) = try await stage.ending()
    stage.recording.bus.kill()
    #expect(try await waiting.exitStatus() == 69)
    #expect(
      waiting.text
        == "sensord: the message bus ended meanwhile; the workout has ended and is stored by itself; "
        + "'sensord show \(id.prefix(8))' tells when it is\n", "\(waiting.text)")
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
    _ = try await stage.stored(id)
  }

  @Test("a workout that somebody else discards meanwhile is told as that, and nothing is stored")
  func discarded() async throws {
    let stage = try await WorkoutStage()
    let (id, waiting) = try await stage.ending()
    #expect(try stage.workout("discard", "--workout", id).status == 0)
    #expect(try await waiting.exitStatus() == 66)
    #expect(
      waiting.text
        == "sensord: the workout was discarded meanwhile; nothing is stored of it but what its strap sent\n",
      "\(waiting.text)")
    await #expect(throws: StoreError.self) { try await stage.stored(id) }
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }
}
