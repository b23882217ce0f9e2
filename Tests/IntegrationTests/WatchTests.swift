import DBus
import Foundation
import TestSupport
import Testing

/// `sensord watch` on a pseudo-terminal and as lines, with a recorder and a strap.
@Suite("The live screen beside a recorder", .timeLimit(.minutes(5)))
struct WatchTests {
  private static let strap = "C0:FF:EE:00:00:62"

  /// A recorder whose door is on the private bus, and a strap.
  private final class Stage {
    let recording: Recording
    private(set) var recorder: Program?
    private var simulator: Program?

    init(_ items: [String]) async throws {
      recording = try Recording()
      try recording.allow(WatchTests.strap)
      try "[clients]\nbus = session\n".write(to: configuration, atomically: true, encoding: .utf8)
      try await start()
      simulator = try recording.simulator(
        #"{"name": "Strap", "address": "\#(WatchTests.strap)", "battery": 81, "timeline": [\#(items.joined(separator: ", "))]}"#
      )
    }

    private var configuration: URL { recording.folder.appendingPathComponent("clients.conf") }

    /// Starts the recorder, again perhaps.
    func start() async throws {
      let recorder = try recording.recorder(
        "--config", configuration.path, changed: ["DBUS_SESSION_BUS_ADDRESS": recording.bus.address])
      self.recorder = recorder
      try await recorder.printed("open to other programs as org.sensord")
    }

    var environment: [String: String] {
      [
        "DBUS_SESSION_BUS_ADDRESS": recording.bus.address, "HOME": recording.folder.path, "TERM": "xterm", "TZ": "UTC",
        "XDG_STATE_HOME": recording.folder.path, "XDG_RUNTIME_DIR": recording.folder.path, "LANG": "C.UTF-8",
        "RUNTIME_DIRECTORY": recording.folder.appendingPathComponent("run").path, "NO_COLOR": "1",
      ]
    }
  }

  /// A value of 72 a minute, twice a second, from one second to another.
  private static func values(_ seconds: Range<Int>, contact: Bool? = nil) -> [String] {
    seconds.flatMap { second in
      [0.0, 0.5].map { part in
        let skin = contact.map { #", "contact": \#($0)"# } ?? ""
        return #"{"t": \#(Double(second) + part), "bpm": 72, "rr_ms": [833]\#(skin)}"#
      }
    }
  }

  /// The screen as it was drawn last, line by line.
  private func screen(_ terminal: Terminal) -> [String] {
    let last = terminal.text.components(separatedBy: "\u{1B}[H").last ?? ""
    return last.replacingOccurrences(of: "\u{1B}[K", with: "").replacingOccurrences(of: "\u{1B}[J", with: "")
      .components(separatedBy: "\r\n")
  }

  private func shows(_ text: String, _ terminal: Terminal) async throws {
    try await wait(for: "“\(text)” on the screen") { screen(terminal).contains { $0.contains(text) } }
  }

  @Test("shows the strap, a dash when link or recorder are lost, their return, and gives the terminal back")
  func terminal() async throws {
    let stage = try await Stage(
      Self.values(0..<8) + [#"{"t": 8, "event": "vanish"}"#, #"{"t": 14, "event": "advertise"}"#]
        + Self.values(15..<600))
    let terminal = try Terminal()
    let watch = try terminal.start(
      Program.programs.appendingPathComponent("sensord").path, ["watch"], environment: stage.environment)
    try await shows("  72 beats a minute · RR 833 ms", terminal)
    try await shows("session of", terminal)
    try await shows("RR 833 to 833 ms, the last", terminal)
    #expect(terminal.text.contains("\u{1B}[?1049h\u{1B}[?25l"))
    // The strap is out of reach: it says nothing, and neither does BlueZ for a while.
    try await shows("  –  ", terminal)
    #expect(!screen(terminal).contains { $0.contains("72 beats") })
    try await shows("  72 beats a minute", terminal)

    try await stage.recorder?.kill()
    try await shows("  –  no recorder", terminal)
    try await shows("No recorder is running; waiting for one", terminal)
    #expect(!screen(terminal).contains { $0.contains("session of") || $0.contains("battery") })
    try await stage.start()
    try await shows("  72 beats a minute", terminal)

    watch.send(SIGINT)
    #expect(watch.wait() == 0)
    #expect(terminal.text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test("follows the size of the terminal, and stops and goes on as a shell's job")
  func job() async throws {
    let stage = try await Stage(Self.values(0..<600))
    let terminal = try Terminal()
    terminal.resize(columns: 60, rows: 20)
    let watch = try terminal.start(
      Program.programs.appendingPathComponent("sensord").path, ["watch"], environment: stage.environment)
    try await shows("  72 beats a minute", terminal)
    terminal.resize(columns: 24, rows: 3)
    watch.send(SIGWINCH)
    try await wait(for: "a small screen") {
      let lines = screen(terminal)
      return lines.count <= 3 && lines.allSatisfy { $0.count <= 24 }
    }
    watch.send(SIGTSTP)
    try await wait(for: "the terminal as it was") { terminal.text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l") }
    terminal.resize(columns: 80, rows: 24)
    watch.send(SIGCONT)
    try await shows("  72 beats a minute · RR 833 ms", terminal)
    watch.send(SIGTERM)
    #expect(watch.wait() == 0)
    #expect(terminal.text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test("believes the recorder, and nobody else who sends the same signals")
  func stranger() async throws {
    let stage = try await Stage(Self.values(0..<600))
    let watch = try Program("sensord", ["watch", "--json"], environment: stage.environment)
    try await watch.printed(#""bpm":72,"#)
    let loop = try EventLoop.startThread(named: "stranger")
    defer { loop.stop() }
    let stranger = try await Connection.open(.address(stage.recording.bus.address), on: loop)
    let bus = "org.freedesktop.DBus"
    let answer = try await stranger.call(.call(bus, path: "/org/freedesktop/DBus", interface: bus, member: "ListNames"))
    for name in answer.body.first?.strings ?? [] where name.hasPrefix(":") {
      let body: [Value] = [
        .string(Self.strap), .uint64(9), .int64(Int64(Date().timeIntervalSince1970 * 1e6)), .uint16(199),
        .array([.uint16(300)], of: "q"), .properties([:]),
      ]
      try await stranger.send(
        .signal(path: "/org/sensord", interface: "org.sensord.Live1", member: "Measurement", body: body, to: name))
    }
    // Messages to one connection arrive in the order in which the bus has them: what follows shows that these have been read.
    let count = watch.text.split(separator: "\n").count
    try await wait(for: "values of the strap") { watch.text.split(separator: "\n").count > count + 3 }
    #expect(!watch.text.contains(#""bpm":199"#) && watch.text.contains(#""bpm":72,"#))
    #expect(try await watch.terminate() == 0)
  }

  @Test("prints a line of JSON for each value, and says when the strap is off the skin")
  func json() async throws {
    let stage = try await Stage(Self.values(0..<8, contact: true) + Self.values(8..<600, contact: false))
    let watch = try Program("sensord", ["watch", "--json"], environment: stage.environment)
    let text = try Program("sensord", ["watch"], environment: stage.environment)
    try await watch.printed(#""state":"offSkin","bpm":null,"rrTicks":[]"#)
    try await text.printed("  Strap  -  off skin\n")
    #expect(text.text.contains("  Strap  72 beats a minute\n") && !text.text.contains("\u{1B}"))
    let values = watch.text.split(separator: "\n").filter { $0.contains(#""bpm":72,"rrTicks":[853]"#) }
    #expect(values.count > 3, "each value is a line")
    for line in watch.text.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?.count == 11)
    }
    #expect(try await watch.terminate() == 0)
    #expect(try await text.terminate() == 0)
  }
}
