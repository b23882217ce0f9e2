import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// A recorder whose door is on a private bus, a strap, and a shell that asks it for workouts.
struct WorkoutStage {
  static let strap = "C0:FF:EE:00:00:62"

  let recording: Recording
  let recorder: Program
  let simulator: Program
  private let environment: [String: String]
  private let configuration: String

  /// With `speed`, in a time of its own ("Recording"); it stands still when this returns. `items` is what the strap sends; nil: ten
  /// values a second, for two minutes.
  init(speed: Int? = nil, items: [String]? = nil) async throws {
    recording = try Recording(speed: speed)
    try recording.allow(Self.strap)
    let file = recording.folder.appendingPathComponent("clients.conf")
    try "[clients]\nbus = session\n".write(to: file, atomically: true, encoding: .utf8)
    configuration = file.path
    environment = recording.clockEnvironment.merging([
      "DBUS_SESSION_BUS_ADDRESS": recording.bus.address, "HOME": recording.folder.path,
      "XDG_STATE_HOME": recording.folder.path, "XDG_RUNTIME_DIR": recording.folder.path,
    ]) { $1 }
    recorder = try await Self.recorder(of: recording, configuration)
    let items =
      items ?? (0..<1_200).map { #"{"t": \#(Double($0) / 10), "bpm": \#(60 + $0 % 60), "rr_ms": [800]}"# }
    simulator = try recording.simulator(
      #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
    try await simulator.printed("ready")
    if recording.isShared {
      try await wait(for: "a value") { [recording] in try recording.count("notify", of: Self.strap) > 0 }
      try await recording.freeze()
    } else {
      try await values(3)
    }
  }

  private static func recorder(of recording: Recording, _ configuration: String) async throws -> Program {
    let recorder = try recording.recorder(
      "--config", configuration, changed: ["DBUS_SESSION_BUS_ADDRESS": recording.bus.address])
    try await recorder.printed("open to other programs as org.sensord")
    return recorder
  }

  /// Starts the recorder once more, after it has ended.
  func nextRecorder() async throws -> Program { try await Self.recorder(of: recording, configuration) }

  /// Waits for so many values more.
  func values(_ count: Int) async throws {
    let before = try recording.received(from: Self.strap)
    let recording = recording
    try await wait(for: "values") { try recording.received(from: Self.strap) >= before + count }
  }

  func workout(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run("sensord", ["workout"] + words, environment: environment)
  }

  func started(_ words: String...) throws -> Program {
    try Program("sensord", ["workout"] + words, environment: environment)
  }

  /// Starts a run in a shell, and lets somebody wait for its end, which is not yet.
  func ending() async throws -> (id: String, waiting: Program) {
    let begun = try workout("start", "running")
    guard begun.status == 0 else { throw Program.Failure(description: begun.errors) }
    if !recording.isShared { try await values(5) }
    let waiting = try started("end")
    try await recovers()
    return (String(begun.output.dropLast()), waiting)
  }

  /// Waits until the workout is over and its heart is listened to.
  func recovers() async throws {
    try await wait(for: "the recovery") { try state() == "recovering" }
  }

  /// The state of the workout that goes on; nil where none does.
  func state() throws -> String? {
    let shown = try workout("status", "--json")
    return shown.status == 0 ? try? object(shown.output)["state"] as? String : nil
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
