import DBus
import Foundation
import TestSupport
import Testing

/// The examples for people who write programs, as processes at a recorder's door.
@Suite("Examples", .timeLimit(.minutes(5)))
struct ExampleTests {
  private static let strap = "C0:FF:EE:00:00:62"
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples")

  /// A recorder with a strap that sends a value a second, and the environment of the programs that use it.
  private func stage() async throws -> (Recording, [Program], [String: String]) {
    let recording = try Recording()
    try recording.allow(Self.strap)
    let recorder = try await recording.openRecorder()
    let items = (0..<600).map { #"{"t": \#(Double($0) / 2), "bpm": \#(60 + $0 % 60), "rr_ms": [900, 800]}"# }
    let simulator = try recording.simulator(
      #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
    try await simulator.printed("ready")
    let environment = recording.personEnvironment.merging(["TERM": "xterm"]) { $1 }
    return (recording, [recorder, simulator], environment)
  }

  private func allow(_ application: String, _ environment: [String: String], share: String? = nil) throws {
    let result = try Program.run(
      "sensord",
      ["grants", "allow", "\(application)@\(getuid())", "--read", "heartRate,heartbeatSeries"]
        + (share.map { ["--share", $0] } ?? []), environment: environment)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Whether a program of the system is there; one line says what is left out.
  private func has(_ words: String..., for example: String) throws -> Bool {
    let status = try Program.run("/usr/bin/env", words).status
    if status != 0 { print("left out: \(example), for want of \(words[0])") }
    return status == 0
  }

  @Test("live-beats.py prints what the strap sends")
  func liveBeats() async throws {
    guard try has("/usr/bin/python3", "-c", "import dbus_next", for: "live-beats.py") else { return }
    let (recording, programs, environment) = try await stage()
    try allow("org.example.LiveBeats", environment)
    let result = try Program.run(
      "/usr/bin/python3", [Self.examples.appendingPathComponent("live-beats.py").path, "--count", "3", Self.strap],
      environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("subscribed\n"))
    let lines = result.output.split(separator: "\n").filter { $0.contains("/min; beats: ") }
    #expect(lines.count == 3 && lines[0].hasPrefix("\(Self.strap) #1: "))
    #expect(lines.allSatisfy { $0.contains("(900 ms)") && $0.contains("(800 ms)") })
    withExtendedLifetime((recording, programs)) {}
  }

  @Test("session.sh lists the sensors with busctl")
  func shellList() async throws {
    guard try has("busctl", "--version", for: "session.sh") else { return }
    let (recording, programs, environment) = try await stage()
    let script = Self.examples.appendingPathComponent("session.sh").path
    try await wait(for: "an open session") {
      try Program.run("/bin/sh", [script], environment: environment).output
        == "\(Self.strap) measuring\na session is open\n"
    }
    withExtendedLifetime((recording, programs)) {}
  }

  @Test("HotDog waits for permission, plays with the heart in sight, and shows the last game's heart")
  func hotDog() async throws {
    let built = Program.programs.appendingPathComponent("HotDog").path
    try #require(
      FileManager.default.isExecutableFile(atPath: built), "\(built) is not built: Scripts/build Examples/HotDog")
    let (recording, programs, environment) = try await stage()
    try await wait(for: "values") { try recording.received(from: Self.strap) > 0 }
    let terminal = try Terminal()
    let game = try terminal.start(
      built, ["--seconds", "250"],
      environment: environment.merging(["NO_COLOR": "1", "PATH": "/usr/bin:/bin"]) { $1 })
    try await wait(for: "its request") { terminal.text.contains("--share heartRate,heartbeatSeries") }
    try allow("org.example.HotDog", environment, share: "heartRate,heartbeatSeries")
    try await wait(for: "the heart") {
      terminal.text.contains("hot dog  score 0  ♥ 6") || terminal.text.contains("hot dog  score 0  ♥ 7")
    }
    terminal.type("ee")
    try await wait(for: "broccoli") { terminal.text.contains("broccoli  score 2") }
    terminal.type("ee")
    try await wait(for: "another hot dog") { terminal.text.contains("hot dog  score 3") }
    terminal.type("pq")
    #expect(game.wait() == 0, "\(terminal.text)")
    #expect(terminal.text.contains("Game over: 3 hot dogs.") && !terminal.text.contains("\u{1B}"))
    let rates = terminal.text.split(separator: "Your heart in the last game: ").last ?? ""
    let count = rates.split(separator: " ").first.flatMap { Int($0) } ?? 0
    #expect(count > 0 && rates.split(separator: "/min").count == count + 1, "\(terminal.text)")
    withExtendedLifetime((recording, programs)) {}
  }

  @Test("session.sh begins, marks and ends a session with busctl")
  func shellSession() async throws {
    guard try has("busctl", "--version", for: "session.sh") else { return }
    let (recording, programs, environment) = try await stage()
    try await wait(for: "values") { try recording.received(from: Self.strap) > 0 }
    let script = Self.examples.appendingPathComponent("session.sh").path
    func run(_ words: String...) throws -> String {
      let result = try Program.run("/bin/sh", [script] + words, environment: environment)
      #expect(result.status == 0, "\(result.errors)")
      return result.output
    }
    let object = try run("begin", "Interval").trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(object.hasPrefix("/org/sensord/session/"))
    _ = try run("mark", object, "second round")
    let sent = try recording.received(from: Self.strap)
    try await wait(for: "a value of the session") { try recording.received(from: Self.strap) > sent }
    #expect(try run("end", object) == "stored\n")
    #expect(try Program.run("/bin/sh", [script, "nonsense"], environment: environment).status == 64)
    withExtendedLifetime((recording, programs)) {}
  }
}
