import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// `sensord workout`, as a person and a shell use it, with a recorder and a strap.
@Suite("Workouts from a shell", .timeLimit(.minutes(5)))
struct WorkoutTests {
  private static let strap = "C0:FF:EE:00:00:62"

  private struct Stage {
    let recording: Recording
    let recorder: Program
    let simulator: Program
    private var environment: [String: String] {
      [
        "DBUS_SESSION_BUS_ADDRESS": recording.bus.address, "HOME": recording.folder.path,
        "XDG_STATE_HOME": recording.folder.path, "XDG_RUNTIME_DIR": recording.folder.path,
      ]
    }

    /// A recorder whose door is on the private bus, and a strap that sends ten values a second.
    init() async throws {
      recording = try Recording()
      try recording.allow(WorkoutTests.strap)
      let file = recording.folder.appendingPathComponent("clients.conf")
      try "[clients]\nbus = session\n".write(to: file, atomically: true, encoding: .utf8)
      recorder = try recording.recorder(
        "--config", file.path, changed: ["DBUS_SESSION_BUS_ADDRESS": recording.bus.address])
      try await recorder.printed("open to other programs as org.sensord")
      let items = (0..<1_200).map { #"{"t": \#(Double($0) / 10), "bpm": \#(60 + $0 % 60), "rr_ms": [800]}"# }
      simulator = try recording.simulator(
        #"{"name": "Strap", "address": "\#(WorkoutTests.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
      try await simulator.printed("ready")
      try await values(3)
    }

    /// Waits for so many values more.
    func values(_ count: Int) async throws {
      let before = try recording.received(from: WorkoutTests.strap)
      let recording = recording
      try await wait(for: "values") { try recording.received(from: WorkoutTests.strap) >= before + count }
    }

    func workout(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      try Program.run("sensord", ["workout"] + words, environment: environment)
    }

    func started(_ words: String...) throws -> Program {
      try Program("sensord", ["workout"] + words, environment: environment)
    }

    /// The first object of a JSON document.
    func object(_ text: String) throws -> [String: Any] {
      let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return try #require(document as? [String: Any] ?? (document as? [[String: Any]])?.first)
    }

    func stored(_ id: String) async throws -> Workout {
      let file = try HealthStore.open(recording.store, for: .reading)
      let workout = try await file.workout(try #require(UUID(uuidString: id)))
      await file.close()
      return workout
    }
  }

  @Test("a race is started, divided, marked, paused, looked at and ended in a shell, and is stored as it was")
  func race() async throws {
    let stage = try await Stage()
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
    #expect(document["type"] as? String == "swimBikeRun" && document["sensor"] as? String == Self.strap)
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
    let stage = try await Stage()
    let id = String(try stage.workout("start", "running").output.dropLast())
    try await stage.values(5)
    let waiting = try stage.started("end")
    try await wait(for: "the recovery") {
      try stage.object(stage.workout("status", "--json").output)["state"] as? String == "recovering"
    }
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
    let stage = try await Stage()
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
