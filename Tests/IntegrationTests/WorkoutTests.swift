import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// `sensord workout`, as a person and a shell use it, with a recorder and a strap.
@Suite("Workouts from a shell", .timeLimit(.minutes(5)))
struct WorkoutTests {
  @Test("a race is started, divided, marked, paused, looked at and ended in a shell, and is stored as it was")
  func race() async throws {
    let stage = try await WorkoutStage()
    let none = try stage.workout("lap")
    #expect(none.status == 66 && none.errors.contains("no workout was started; 'sensord workout start TYPE'"))
    #expect(try stage.workout("status").output == "No workout goes on.\n")
    #expect(
      try stage.workout("status", "--json").output == "[\n]\n" || stage.workout("status", "--json").output == "[]\n")

    let begun = try stage.workout(
      "start", "swimBikeRun", "--location", "outdoor", "--metadata", "title=Club race", "--activities", "--json")
    #expect(begun.status == 0, "\(begun.errors)")
    let document = try stage.object(begun.output)
    let id = try #require(document["id"] as? String)
    #expect(document["type"] as? String == "swimBikeRun" && document["sensor"] as? String == WorkoutStage.strap)
    #expect(try stage.workout("start", "yoga").status == 75, "the strap has a workout")
    try await stage.values(5)
    #expect(try stage.workout("lap").status == 0)
    #expect(try stage.workout("mark", "buoy \u{1B}[2J").status == 0)
    let yoga = try stage.workout("activity", "yoga")
    #expect(yoga.status == 64 && yoga.errors.hasPrefix("sensord: ") && yoga.errors.split(separator: "\n").count == 1)
    #expect(try stage.workout("activity", "transition").status == 0)
    #expect(try stage.workout("pause").status == 0)
    let twice = try stage.workout("pause")
    #expect(twice.status == 75 && twice.errors.contains("paused"), "\(twice.errors)")
    let paused = try stage.object(stage.workout("status", "--json").output)
    #expect(paused["state"] as? String == "paused" && paused["type"] as? String == "swimBikeRun")
    #expect((paused["activity"] as? [String: Any])?["type"] as? String == "transition")
    #expect((paused["heartRate"] as? [String: Any])?["maximum"] is Double)
    #expect(try stage.workout("resume", "--workout", String(id.prefix(8))).status == 0)
    #expect(try stage.workout("resume", "--workout", "0000").status == 66)
    #expect(try stage.workout("activity", "--end").status == 0)
    let text = try stage.workout("status").output
    #expect(text.contains("Workout     \(id.prefix(8)), swimBikeRun, running\n") && text.contains("beats a minute"))
    #expect(!text.contains("Activity"))

    let ended = try stage.workout("end", "--no-recovery", "--json")
    #expect(ended.status == 0 && ended.output == #"{"id":"\#(id)","stored":true}"# + "\n", "\(ended.errors)")
    #expect(try stage.workout("end").status == 66)
    let workout = try await stage.stored(id)
    #expect(workout.configuration == WorkoutConfiguration(.swimBikeRun, location: .outdoor))
    #expect(workout.metadata["title"] == "Club race")
    #expect(workout.activities.map(\.configuration.activityType) == [.swimming, .transition])
    #expect(workout.activities.first?.start == workout.start, "the first activity begins with the workout")
    #expect(workout.activities.first?.events.map(\.type) == [.lap, .marker])
    #expect(workout.activities.first?.events.last?.metadata["title"] == "buoy \u{1B}[2J")
    #expect(workout.events.map(\.type) == [.pause, .resume])
    #expect(workout.statistics(for: .heartRate) != nil)
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }

  @Test("who waits for the end may be interrupted: the workout has ended, and another end stores it")
  func interruptedEnd() async throws {
    let stage = try await WorkoutStage()
    let (id, waiting) = try await stage.ending()
    let late = try stage.workout("lap")
    #expect(late.status == 75, "\(late.errors)")
    #expect(try await waiting.terminate() == 0)
    #expect(waiting.text.contains("The recorder goes on by itself") && waiting.text.hasSuffix("\(id)\n"))
    #expect(try stage.workout("end", "--no-recovery").output == "\(id)\n")
    _ = try await stage.stored(id)
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }

  @Test("several workouts have to be named, and one that is discarded is not stored")
  func several() async throws {
    let stage = try await WorkoutStage()
    let one = String(try stage.workout("start", "walking", "--no-sensor").output.dropLast())
    let other = String(try stage.workout("start", "hiking", "--no-sensor").output.dropLast())
    let which = try stage.workout("pause")
    #expect(which.status == 64 && which.errors.contains("name one of them with --workout"))
    #expect(try stage.workout("discard", "--workout", one).status == 0)
    #expect(try stage.workout("discard", "--workout", one).status == 66)
    let left = try stage.object(stage.workout("status", "--json").output)
    #expect(left["id"] as? String == other && left["sensor"] is NSNull)
    #expect(try stage.workout("end", "--workout", other).output == "\(other)\n", "nobody recovers without a sensor")
    await #expect(throws: StoreError.self) { try await stage.stored(one) }
    #expect(try await stage.stored(other).configuration.activityType == .hiking)
    #expect(try await stage.recorder.terminate() == 0, "\(stage.recorder.text)")
  }
}
