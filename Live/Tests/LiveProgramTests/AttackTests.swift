import Foundation
import TestSupport
import Testing

/// What strangers try at the hub while a recorder records beside it.
@Suite("The hub under attack", .timeLimit(.minutes(10)))
struct AttackTests {
  private struct Session: Decodable {
    struct Rates: Decodable { let count: Int }
    let heartRate: Rates
    let gaps: Int
  }

  @Test("nothing is read without a key, nothing falls over, and the recorder has every value")
  func attack() async throws {
    let stage = try ProgramStage()
    try await stage.recorder()
    let hub = try stage.hub()
    try await hub.printed("listening on")
    let token = try stage.ask("token", "add", "test")
    let strap = try await stage.handStrap()
    try await stage.shows(isValue: true, token)

    let attack = try stage.foreign("attack.py", stage.place, token, "\(hub.identifier)")
    let status = try await attack.ended()
    print(attack.text)
    #expect(status == 0, "\(attack.text)")
    // It is the same process, and it ends as it should.
    #expect(hub.terminate() == 0)

    strap.beats(false)
    let sent = { stage.sent() }
    try await wait(for: "the last value in the recorder") { stage.received() == sent() }
    #expect(stage.terminateRecorder() == 0)
    let sessions = try JSONDecoder().decode(
      [Session].self, from: Data(try stage.output("sensord", ["sessions", "--json"]).utf8))
    #expect(sessions.count == 1 && sessions.first?.heartRate.count == sent(), "\(sessions), \(sent())")
    #expect(sessions.first?.gaps == 0)
  }
}
