import DBus
import Foundation
import TestSupport
import Testing

/// `sensord agent` beside a recorder, as processes.
@Suite("The agent", .timeLimit(.minutes(5)))
struct AgentProcessTests {
  private static let game = "org.example.Game"

  /// A game that asks to read something; the task ends with the owner's decision.
  private func request(_ type: String, on bus: PrivateBus, _ loop: EventLoop) async throws -> Task<String?, any Error> {
    let game = try await Connection.open(.address(bus.address), on: loop)
    func call(_ member: String, _ body: [Value]) async throws -> Message {
      try await game.call(
        .call(
          "org.sensord", path: "/org/sensord", interface: "org.sensord.Authorization1", member: member, body: body))
    }
    _ = try await call("Identify", [.string(Self.game), .properties([:])])
    return Task { try await call("Request", [.strings([]), .strings([type])]).body.first?.string }
  }

  private func decision(_ type: String, _ recording: Recording) throws -> String? {
    let list = try Program.run("sensord", ["grants", "list", "--json"], environment: recording.personEnvironment).output
    let entries = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]] ?? []
    return entries.first { $0["type"] as? String == type }?["decision"] as? String
  }

  @Test("a request is a notification with two buttons, whose press decides, also after a restart of the recorder")
  func notifications() async throws {
    let recording = try Recording()
    let first = try await recording.openRecorder()
    let loop = try EventLoop.startThread(named: "desktop")
    defer { loop.stop() }
    let desktop = try await NotificationService(on: recording.bus.address, loop: loop)
    // It waits before the agent is there.
    let early = try await request("heartRate", on: recording.bus, loop)
    try await wait(for: "the request") { try decision("heartRate", recording) == "notDetermined" }
    let agent = try Program("sensord", ["agent"], environment: recording.personEnvironment)
    try await wait(for: "the notification") { desktop.all.count == 1 }
    let shown = desktop.all[0]
    #expect(shown.summary.hasPrefix("org.example.Game (user ") && shown.body == "It wants to read: heart rate.")
    #expect(shown.actions == ["allow", "Allow", "deny", "Deny"])
    try await desktop.press("allow", of: shown.number)
    #expect(try await early.value == "decided")
    #expect(try decision("heartRate", recording) == "allowed")
    try await agent.printed("No program waits for a decision")
    try await wait(for: "its end") { desktop.all[0].isClosed }

    #expect(try await first.terminate() == 0)
    try await agent.printed("No recorder is running; waiting for one.")
    let second = try await recording.openRecorder()
    let late = try await request("height", on: recording.bus, loop)
    try await wait(for: "the second notification") { desktop.all.count == 2 }
    try await desktop.press("deny", of: desktop.all[1].number)
    #expect(try await late.value == "decided")
    #expect(try decision("height", recording) == "denied")
    #expect(try await agent.terminate() == 0, "\(agent.text)")
    #expect(try await second.terminate() == 0)
  }

  @Test("on a terminal each request is asked there, until it is answered with y or n")
  func terminal() async throws {
    let recording = try Recording()
    let recorder = try await recording.openRecorder()
    let loop = try EventLoop.startThread(named: "game")
    defer { loop.stop() }
    let terminal = try Terminal()
    let agent = try terminal.start(
      Program.programs.appendingPathComponent("sensord").path, ["agent"],
      environment: ProcessInfo.processInfo.environment.merging(recording.personEnvironment) { $1 })
    try await wait(for: "the first line") { terminal.text.contains("No program waits for a decision") }
    let request = try await request("heartbeatSeries", on: recording.bus, loop)
    try await wait(for: "the question") { terminal.text.contains("Allow? [y/n]") }
    #expect(terminal.text.contains("  read: intervals between beats (variability)"))
    terminal.type("perhaps\n")
    try await wait(for: "the same question") { terminal.text.components(separatedBy: "Allow?").count == 3 }
    terminal.type("y\n")
    #expect(try await request.value == "decided")
    #expect(try decision("heartRateVariabilitySDNN", recording) == "allowed")
    agent.send(SIGINT)
    #expect(agent.wait() == 0)
    #expect(try await recorder.terminate() == 0)
  }

  @Test("the questions of a recorder go with it")
  func withdrawn() async throws {
    let recording = try Recording()
    let recorder = try await recording.openRecorder()
    let loop = try EventLoop.startThread(named: "desktop")
    defer { loop.stop() }
    let desktop = try await NotificationService(on: recording.bus.address, loop: loop)
    let agent = try Program("sensord", ["agent"], environment: recording.personEnvironment)
    try await agent.printed("No program waits")
    let request = try await request("heartRate", on: recording.bus, loop)
    try await wait(for: "the notification") { desktop.all.count == 1 }
    #expect(try await recorder.terminate() == 0)
    try await wait(for: "its end") { desktop.all[0].isClosed }
    _ = await request.result
    #expect(try await agent.terminate() == 0, "\(agent.text)")
  }
}
