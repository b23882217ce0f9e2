import DBus
import Foundation
import Synchronization
import TestSupport
import Testing

/// Other programs at a recorder's door, over a real dbus-daemon.
@Suite("Clients of a recorder", .timeLimit(.minutes(5)))
struct ClientTests {
  private static let strap = "C0:FF:EE:00:00:61"
  private static let root: ObjectPath = "/org/sensord"

  @Test("a subscriber gets exactly the values that a strap sends, in order, and no number is missing")
  func values() async throws {
    let recording = try Recording()
    try recording.allow(Self.strap)
    let recorder = try await recording.openRecorder()
    let loop = try EventLoop.startThread(named: "client")
    defer { loop.stop() }
    let client = try await Connection.open(.address(recording.bus.address), on: loop)
    let values = Values()
    _ = await client.observeSignals { values.note($0) }
    _ = try await client.call(
      .call(
        "org.sensord", path: Self.root, interface: "org.sensord.Live1", member: "Subscribe",
        body: [.strings([Self.strap])]))
    let items = (0..<40).map {
      #"{"t": \#(Double($0) / 5), "bpm": \#(60 + $0), "rr_ms": [\#(900 + $0), 800], "contact": true}"#
    }
    let simulator = try recording.simulator(
      #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
    try await simulator.printed("ready")
    try await wait(for: "the strap to end") { try recording.count("end", of: Self.strap) == 1 }
    let sent = try recording.sent(by: Self.strap).map(SentValue.init)
    #expect(sent.count == 40)
    try await wait(for: "as many signals as values") { values.all.count >= sent.count }
    #expect(values.all.map(\.rate) == sent.map { $0.rate[0] })
    #expect(values.all.map(\.ticks) == sent.map(\.ticks))
    #expect(values.all.map(\.sequence) == (1...sent.count).map { UInt64($0) })
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(values.states.contains("recorderStopping"))
  }

  @Test("a program in another language gets along with introspection, calls and errors alone")
  func foreign() async throws {
    let recording = try Recording()
    try recording.allow(Self.strap)
    let recorder = try await recording.openRecorder()
    func send(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      try Self.tool(
        "dbus-send", ["--bus=\(recording.bus.address)", "--print-reply", "--dest=org.sensord", "/org/sensord"] + words)
    }
    #expect(try send("org.freedesktop.DBus.Introspectable.Introspect").output.contains("org.sensord.Live1"))
    let list = try send("org.sensord.Manager1.ListSensors")
    #expect(list.output.contains(Self.strap) && list.output.contains("absent"))
    let version = try send(
      "org.freedesktop.DBus.Properties.Get", "string:org.sensord.Manager1", "string:Version")
    #expect(version.output.contains("0.1.0"))
    let wrong = try send("org.sensord.Live1.Subscribe", "string:x")
    #expect(wrong.status != 0 && wrong.errors.contains("org.freedesktop.DBus.Error.InvalidArgs"))
    let sensor = try send("org.sensord.Live1.Subscribe", "array:string:x")
    #expect(sensor.errors.contains("org.sensord.Error.InvalidSensor"))
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
  }

  @Test("a session is begun, marked and ended in a shell, and holds what the strap sent between")
  func shell() async throws {
    let recording = try Recording()
    try recording.allow(Self.strap)
    let recorder = try await recording.openRecorder()
    func session(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      try Program.run("sensord", ["session"] + words, environment: recording.personEnvironment)
    }
    let none = try session("end")
    #expect(none.status == 66 && none.errors.contains("no session was begun"))
    let absent = try session("begin")
    #expect(absent.status == 66 && absent.errors.contains(Self.strap))
    let items = (0..<600).map { #"{"t": \#(Double($0) / 10), "bpm": \#(60 + $0 % 60), "rr_ms": [800]}"# }
    let simulator = try recording.simulator(
      #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
    try await simulator.printed("ready")
    try await wait(for: "values") { try recording.received(from: Self.strap) > 3 }
    let begun = try session("begin", "--metadata", "title=Interval", "--json")
    #expect(begun.status == 0, "\(begun.errors)")
    let document = try JSONSerialization.jsonObject(with: Data(begun.output.utf8)) as? [String: Any]
    let id = try #require(document?["id"] as? String)
    #expect(document?["sensor"] as? String == Self.strap)
    #expect((document?["path"] as? String)?.hasPrefix("/org/sensord/session/") == true)
    #expect(try session("begin").status == 75, "another session of the strap was begun")
    let before = try recording.received(from: Self.strap)
    try await wait(for: "more values") { try recording.received(from: Self.strap) > before + 10 }
    #expect(try session("mark", "second \u{1B}[2Jround").status == 0)
    #expect(try session("mark", "x", "--session", "0000").status == 66)
    let ended = try session("end", String(id.prefix(8)))
    #expect(ended.status == 0 && ended.output == "\(id)\n", "\(ended.errors)")
    #expect(try session("mark", "x", "--all").status == 66 && session("end", "--all").status == 66)
    let all = try session("begin", "--all")
    #expect(all.status == 0, "\(all.errors)")
    #expect(try session("mark", "all", "--all").status == 0)
    let allEnded = try session("end", "--all")
    #expect(allEnded.status == 0 && allEnded.output.hasPrefix(all.output.dropLast()), "\(allEnded.errors)")
    let shown = try Program.run("sensord", ["show", id, "--store", recording.store])
    #expect(shown.output.contains("Marked at") && shown.output.contains("round") && !shown.output.contains("\u{1B}"))
    let json = try Program.run("sensord", ["show", id, "--json", "--store", recording.store]).output
    #expect(json.contains(#""markers":[{"time":""#))
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
  }

  @Test("grants are decided in the running recorder, and without one in the store")
  func grants() async throws {
    let recording = try Recording()
    try recording.allow(Self.strap)
    let recorder = try await recording.openRecorder()
    func grants(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      try Program.run("sensord", ["grants"] + words, environment: recording.personEnvironment)
    }
    let allowed = try grants(
      "allow", "org.example.Game@1000", "--read", "heartRate,heartbeatSeries", "--share", "height")
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(allowed.output.contains("org.example.Game@1000 may read heartRateVariabilitySDNN."))
    let list = try grants("list", "--json").output
    #expect(list.contains(#""application":"org.example.Game","uid":1000,"type":"height","permission":"share""#))
    let stored = try grants("list", "--json", "--store", recording.store).output
    #expect(stored == list, "the recorder has written them into its store")
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")

    let revoked = try grants(
      "revoke", "org.example.Game@1000", "--read", "heartRate", "--store", recording.store)
    #expect(revoked.status == 0 && revoked.output.contains("1 decision forgotten"))
    let again = try grants("revoke", "org.example.Game@1000", "--read", "heartRate", "--store", recording.store)
    #expect(again.status == 66)
    let denied = try grants("deny", "org.example.Game@1000", "--share", "height", "--store", recording.store)
    #expect(denied.output == "org.example.Game@1000 may not save height.\n")
    let left = try grants("list", "--store", recording.store).output
    #expect(left.contains("denied") && left.contains("heartRateVariabilitySDNN") && !left.contains(" heartRate "))
  }

  /// Runs a program of the system to its end.
  private static func tool(_ name: String, _ words: [String]) throws -> (status: Int32, output: String, errors: String)
  {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try StartedProgram(name, words, output: output.descriptor, errors: errors.descriptor)
    return (program.wait(), output.text, errors.text)
  }

  /// What a subscriber got, in order.
  private final class Values: Sendable {
    struct Value {
      var sequence: UInt64
      var rate: String
      var ticks: [String]
    }

    private let state = Mutex<(values: [Value], states: [String])>(([], []))

    var all: [Value] { state.withLock { $0.values } }
    var states: [String] { state.withLock { $0.states } }

    func note(_ message: Message) {
      if message.isSignal("org.sensord.Live1", "State") {
        state.withLock { $0.states.append(message.body[1].string ?? "") }
      }
      guard message.isSignal("org.sensord.Live1", "Measurement") else { return }
      let body = message.body
      let value = Value(
        sequence: body[1].uint64 ?? 0, rate: "\(body[3].uint16 ?? 0)",
        ticks: body[4].array?.compactMap { $0.uint16.map { "\($0)" } } ?? [])
      state.withLock { $0.values.append(value) }
    }
  }
}
