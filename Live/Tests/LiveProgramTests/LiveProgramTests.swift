import Foundation
import TestSupport
import Testing

/// The programs as they are installed: a real bus, a real recorder, a simulated strap, and the hub between them and curl.
@Suite("The hub as a program", .timeLimit(.minutes(5)))
struct LiveProgramTests {
  @Test("a value goes from the strap to every output, and each cause ends it everywhere with its own state")
  func causes() async throws {
    let stage = try ProgramStage()
    try await stage.recorder()
    let hub = try stage.hub("--text-file", "\(stage.folder.path)/rate")
    try await hub.printed("listening on")
    let token = try stage.ask("token", "add", "test")
    let events = try stage.curl("-N", "http://\(stage.place)/events?token=\(token)")
    try await events.printed(#""state":"linkLost""#)

    let strap = try stage.strap()
    try await strap.printed("ready")
    try await events.printed(#""state":"measuring""#)
    try await stage.shows(isValue: true, token)

    // Off the skin, by the strap's own word; then on it again.
    try await events.printed(#""state":"offSkin""#, after: #""state":"measuring""#)
    try await events.printed(#""state":"measuring""#, after: #""state":"offSkin""#)

    // The recorder is killed.
    stage.killRecorder()
    try await events.printed(#""state":"noRecorder""#, after: #""state":"offSkin""#)
    try await stage.shows(isValue: false, token)
    try await stage.recorder()
    try await events.printed(#""state":"measuring""#, after: #""state":"noRecorder""#)
    try await stage.shows(isValue: true, token)

    // The recorder stands still, and says nothing about it.
    stage.send(SIGSTOP)
    try await events.printed(#""state":"silent""#, after: #""state":"noRecorder""#)
    try await stage.shows(isValue: false, token)
    stage.send(SIGCONT)
    try await stage.shows(isValue: true, token)

    // bluetoothd is gone, and the strap with it.
    strap.end()
    try await stage.shows(isValue: false, token)

    // The hub ends, and leaves a dash.
    #expect(hub.terminate() == 0)
    #expect(stage.folder.bytes(of: "rate") == Array("-".utf8))
    // No rate and no interval in what it prints for people.
    #expect(!hub.text.contains("bpm"))
  }

  @Test("a hub that may not read says how to allow it, and shows values once that is allowed")
  func permission() async throws {
    let stage = try ProgramStage(isAllowed: false)
    try await stage.recorder()
    let strap = try stage.strap()
    try await strap.printed("ready")
    let hub = try stage.hub()
    let command = "grants allow org.sensord.Live@\(getuid()) --read heartRate,heartbeatSeries"
    try await hub.printed("waits for permission: sensord \(command)")
    let token = try stage.ask("token", "add", "test")
    try await stage.shows(isValue: false, token)
    try stage.sensord(command.split(separator: " ").map(String.init))
    try await stage.shows(isValue: true, token)
  }

  @Test("what was recorded is read by whose token the owner has allowed it, and is not there for another")
  func recordings() async throws {
    struct Session: Decodable {
      let id: String
      let beats: Int
    }
    struct Curve: Decodable {
      let stretches: [[[Double]]]
      let gaps: [[Double]]
    }
    struct Variability: Decodable {
      struct Figure: Decodable {
        let value: Double?
        let refused: String?
      }
      let figures: [Figure]
    }
    func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
      try JSONDecoder().decode(type, from: Data(text.utf8))
    }
    let stage = try ProgramStage()
    try stage.replay()
    try await stage.recorder()
    let hub = try stage.hub()
    try await hub.printed("listening on")
    try stage.sensord(["grants", "allow", "org.sensord.Live.mine@\(getuid())", "--read", "heartRate,heartbeatSeries"])
    let (mine, other) = (try stage.ask("token", "add", "mine"), try stage.ask("token", "add", "other"))

    let sessions = try decoded([Session].self, try stage.read("/api/sessions", mine).body)
    let session = try #require(sessions.first)
    #expect(sessions.count == 1 && session.beats > 0)
    let curve = try decoded(Curve.self, try stage.read("/api/sessions/\(session.id)/beats", mine).body)
    #expect(!curve.stretches.isEmpty && !curve.gaps.isEmpty)
    for stretch in curve.stretches {
      let (first, last) = (stretch[0][0], stretch[stretch.count - 1][0])
      #expect(!curve.gaps.contains { $0[0] < last && $0[1] > first }, "a line would cross a gap")
    }
    let variability = try decoded(
      Variability.self, try stage.read("/api/sessions/\(session.id)/variability", mine).body)
    #expect(!variability.figures.isEmpty && variability.figures.allSatisfy { ($0.value == nil) != ($0.refused == nil) })
    #expect(try stage.read("/api/statistics?every=1d&utc_offset_minutes=60", mine).body.hasPrefix(#"[{"average":"#))
    #expect(try stage.read("/api/workouts", mine).body == "[]")

    // To another there is nothing, as if there was nothing.
    #expect(try stage.read("/api/sessions", other).body == "[]")
    #expect(try stage.read("/api/sessions/\(session.id)/beats", other).status == 404)
    #expect(try stage.read("/api/sessions", "none").status == 401)
    for target in [
      "/api/sessions/x/beats", "/api/sessions/\(UUID())/beats", "/api/nothing", "/api/statistics?utc_offset_minutes=x",
    ] {
      #expect(try stage.read(target, mine).status == 404)
    }
    #expect(try stage.read("/api/statistics?every=never", mine).status == 400)

    // A recorder that stands still keeps four questions of a key waiting; more are refused, and the four are answered.
    stage.send(SIGSTOP)
    let asking = try (0..<8).map { _ in
      try stage.curl("-w", "%{http_code}", "-H", "Authorization: Bearer \(mine)", "http://\(stage.place)/api/workouts")
    }
    try await wait(for: "four that are refused") { asking.count { $0.text.hasSuffix("429") } == 4 }
    let patient = try stage.curl("-H", "Authorization: Bearer \(other)", "http://\(stage.place)/api/workouts")
    stage.send(SIGCONT)
    try await wait(for: "four answers") { asking.count { $0.text == "[]200" } == 4 }
    try await wait(for: "the other key's answer") { patient.text == "[]" }
    #expect(try stage.read("/api/workouts", mine).status == 200)

    stage.killRecorder()
    let gone = try stage.read("/api/sessions", mine)
    #expect(gone.status == 503 && gone.body.hasPrefix("The recorder cannot be asked: "))
    try await stage.recorder()
    #expect(try stage.read("/api/sessions", mine).body.contains(session.id))
  }

  /// The heart rate of a session, as the page gets it.
  private struct RateAnswer: Decodable {
    let count: Int
    let average: Double
    let gap_count: Int
    let held: [[Int]]
    let stretches: [[[Double]]]

    /// The range of each stretch: a column's border may lie elsewhere in the store, whose clock is that of the session's end.
    var ranges: [[Double]] {
      stretches.map { [$0.map { $0[1] }.min() ?? 0, $0.map { $0[2] }.max() ?? 0] }
    }
  }
  private struct Room: Decodable {
    struct Sensor: Decodable {
      let name: String?
      let state: String
      let session_start: Int?
      let curve: RateAnswer?
    }
    let sensors: [Sensor]
  }
  private struct RecordedSession: Decodable {
    let id: String
    let start: Int
  }

  @Test("a page that is opened late gets what the store gets, gaps included, in four thousand points at most")
  func late() async throws {
    func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
      try JSONDecoder().decode(type, from: Data(text.utf8))
    }
    let stage = try ProgramStage()
    try await stage.recorder()
    let hub = try stage.hub()
    try await hub.printed("listening on")
    try stage.sensord(["grants", "allow", "org.sensord.Live.mine@\(getuid())", "--read", "heartRate,heartbeatSeries"])
    let token = try stage.ask("token", "add", "mine")
    func sensor() throws -> Room.Sensor? {
      let answer = try stage.read("/api/now", token).body
      return try decoded(Room.self, answer).sensors.first
    }
    let strap = try await stage.handStrap()
    try await wait(for: "some values") { try sensor()?.curve?.count ?? 0 >= 4 }
    try strap.befalls(#"{"event": "vanish"}"#)
    try await wait(for: "a lost link") { try sensor()?.state == "linkLost" }
    // Longer than the curve waits for a rate of 60 to 250.
    let last = try #require(try sensor()?.curve?.stretches.last?.last?.first)
    try await wait(for: "a gap") { Date().timeIntervalSince1970 * 1000 > last + 5000 }
    try strap.befalls(#"{"event": "advertise"}"#)
    try await wait(for: "values behind the gap") {
      let stretches = try sensor()?.curve?.stretches ?? []
      return stretches.count == 2 && stretches[1].count >= 4
    }
    strap.beats(false)
    try await wait(for: "all values") { try sensor()?.curve?.count == stage.received() }
    let late = try #require(try sensor())
    let live = try #require(late.curve)
    #expect(late.name == "Strap" && late.session_start != nil)
    #expect(live.gap_count == 1 && live.stretches.count == 2, "\(live)")
    #expect(live.stretches.reduce(0) { $0 + 2 * $1.count } <= 4000)

    #expect(stage.terminateRecorder() == 0)
    try await stage.recorder()
    let session = try #require(try decoded([RecordedSession].self, try stage.read("/api/sessions", token).body).first)
    let stored = try decoded(RateAnswer.self, try stage.read("/api/sessions/\(session.id)/rates", token).body)
    #expect(stored.count == live.count && stored.average == live.average && stored.gap_count == live.gap_count)
    #expect(stored.ranges == live.ranges && stored.held.map { $0[0] } == live.held.map { $0[0] })
  }

  @Test("without a recorder the hub waits for one, and without a hub the commands say so")
  func absent() async throws {
    let stage = try ProgramStage()
    let without = try stage.run("sensord-live", ["open", "--socket", stage.control])
    #expect(without.status == 69)
    #expect(without.errors.contains("no hub runs at"))
    let hub = try stage.hub("--bus", stage.busAddress)
    try await hub.printed("no recorder is running that lets programs in")
    let taken = try stage.run(
      "sensord-live", ["run", "--listen", stage.place, "--state", stage.folder.path, "--socket", "/nowhere/x"])
    #expect(taken.status == 69 && taken.errors.contains("choose another with --listen"))
    #expect(try stage.ask("open").hasPrefix("http://\(stage.place)/open?code="))
  }

  @Test(
    "what is mistyped is one line that says what to do, with code 64",
    arguments: [
      ["run", "--listen", "8765"], ["run", "--listen", "here:8765"], ["run", "--osc", "127.0.0.1"], ["walk"],
      ["run", "--listen", "127.0.0.1:99999"], ["run", "--sensor", "strap"],
      ["run", "--text-file", "x", "--text-file-mode", "rw"], ["run", "--text-file", "x", "--text-file-mode", "1777"],
      ["run", "--text-file", "x", "--text-file-mode", "+64"], ["run", "--text-file", "x", "--text-file-mode", "680"],
      ["run", "--text-file-mode", "640"],
      ["run", "--sensor", ""], ["run", "--host", "http://heart.example"], ["run", "--host", ""],
      ["run", "--mqtt", "broker"],
      ["run", "--listen", "127.0.0.1:0", "--mqtt", "127.0.0.1:1883", "--mqtt-name", "a/b"],
      ["run", "--mqtt", "127.0.0.1:1883", "--mqtt-password-file", "/none"],
      ["run", "--listen", "127.0.0.1:0", "--osc", "localhost:9000"], ["run", "--text-file"], ["run", "--colour"],
    ])
  func mistyped(words: [String]) throws {
    let stage = try ProgramStage()
    let paths = words[0] == "run" ? ["--state", stage.folder.path, "--socket", stage.control] : []
    let result = try stage.run("sensord-live", words + paths)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("sensord-live: ") && result.errors.filter { $0 == "\n" }.count == 1, "\(result.errors)")
  }

  @Test(
    "a token's name that cannot be one is refused with what may be, whether a hub runs or not",
    arguments: [
      ("", "; this one is empty"), ("a b", "; this one has other characters"),
      ("a/b", "; this one has other characters"),
      ("é", "; this one has other characters"), (String(repeating: "x", count: 41), "; this one has 41 bytes"),
      (String(repeating: "x", count: 5000), "; this one has 5000 bytes"),
    ])
  func tokenNames(name: String, fault: String) throws {
    let stage = try ProgramStage()
    let added = try stage.run("sensord-live", ["token", "add", name, "--socket", stage.control])
    #expect(added.status == 64 && added.output.isEmpty)
    #expect(
      added.errors
        == "sensord-live: a token's name has 1 to 40 of the ASCII letters, digits, '.', '_' and '-'\(fault)\n")
    let revoked = try stage.run("sensord-live", ["token", "revoke", name, "--socket", stage.control])
    #expect(revoked.status == 66 && revoked.errors.hasSuffix("'sensord-live token list' names all\n"))
  }

  @Test(
    "what cannot be used is one line that says what to do, with its own code",
    arguments: [
      (["--state", "/proc/none/state"], 73, "cannot be made: No such file or directory; choose another --state"),
      (["--socket", "/proc/none/control"], 73, "; choose another --socket"),
      (["--listen", "192.0.2.1:1"], 69, ": Cannot assign requested address; choose another with --listen"),
      (["--mqtt", "127.0.0.1:1", "--mqtt-user", "a", "--mqtt-password-file", "/none"], 66, "choose another file"),
      (["--mqtt", "127.0.0.1:1", "--mqtt-user", "a", "--mqtt-password-file", "/dev/null"], 65, "write one into it"),
    ] as [([String], Int32, String)])
  func unusable(words: [String], status: Int32, advice: String) throws {
    let stage = try ProgramStage()
    let places = [("--state", stage.folder.path), ("--socket", stage.control), ("--listen", "127.0.0.1:0")]
    let result = try stage.run(
      "sensord-live", ["run"] + places.filter { !words.contains($0.0) }.flatMap { [$0.0, $0.1] } + words)
    #expect(result.status == status && result.errors.hasSuffix(advice + "\n"), "\(result)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("no bus, no broker and a folder that is not there are a line each, and what is left is served")
  func without() async throws {
    let stage = try ProgramStage()
    let hub = try stage.hub(
      "--bus", "unix:path=\(stage.folder.path)/nowhere", "--mqtt", "127.0.0.1:1", "--text-file", "/proc/none/rate")
    try await hub.printed("; looking for it every 5 seconds")
    try await hub.printed("; trying again, or leave --mqtt out")
    try await hub.printed("; mend that, or choose another --text-file")
    let token = try stage.ask("token", "add", "test")
    #expect(try stage.read("/hr", token).status == 204)
    #expect(try stage.read("/metrics", token).body.contains("sensord_connected 0"))
    // Each once, and where it listens.
    #expect(hub.text.split(separator: "\n").count == 4, "\(hub.text)")
    #expect(hub.terminate() == 0)
  }

  @Test("help names what there is, in 80 columns")
  func help() throws {
    let helps = try HelpTexts.of(try ProgramStage().path("sensord-live"))
    #expect(helps.count == 7 && helps.contains { $0.command == ["token", "revoke"] })
    for help in helps { #expect(help.longLines.isEmpty, "\(help.command)") }
  }
}
