import Documents
import HealthModel
import Testing

@testable import sensord

@Suite("What a person is asked about other programs")
struct AgentTests {
  private let game = ClientIdentity(uid: 1000, application: "org.example.Game")
  private let display = ClientIdentity(uid: 1000, application: "org.example.Display")

  private func entry(
    _ client: ClientIdentity, _ type: String, _ permission: Permission, _ decision: Grant.Decision? = nil
  ) -> GrantEntry {
    GrantEntry(client: client, type: type, permission: permission, decision: decision, decided: nil)
  }

  private func question(_ client: ClientIdentity, read: [String] = ["heartRate"]) -> AccessQuestion {
    AccessQuestion(client: client, share: [], read: read)
  }

  @Test("there is one question for each program, about all that is not decided")
  func grouped() {
    let questions = AccessQuestion.all(in: [
      entry(game, "heartRate", .read), entry(display, "heartRate", .read), entry(game, "stepCount", .share),
      entry(game, "heartRate", .read), entry(display, "height", .read, .denied),
    ])
    #expect(
      questions == [
        AccessQuestion(client: game, share: ["stepCount"], read: ["heartRate"]), question(display),
      ])
    #expect(questions[0].wishes == ["save: step count", "read: heart rate"])
    #expect(questions[0].who == "org.example.Game (user 1000)")
  }

  @Test(
    "types are named in plain words",
    arguments: [
      ("heartRate", "heart rate"), ("heartRateVariabilitySDNN", "intervals between beats (variability)"),
      ("heartRateVariabilityRMSSD", "heart rate variability RMSSD"), ("bodyMass", "body mass"),
      ("heartRateVariabilityPNN50", "heart rate variability PNN50"),
    ])
  func words(identifier: String, words: String) {
    #expect(TypeWords.text(identifier) == words)
  }

  @Test("a name can neither write markup nor steer a terminal")
  func hostile() {
    let question = AccessQuestion(
      client: ClientIdentity(uid: 0, application: "a\u{1B}[2J\n<b>"), share: [], read: ["<a href='x'>&\u{1B}"])
    #expect(!question.who.contains("\u{1B}") && !question.who.contains("\n"))
    #expect(
      NotificationDisplay.escaped(question.wishes[0]).unicodeScalars.allSatisfy {
        $0 != "<" && $0 != ">" && $0 != "\u{1B}"
      })
    #expect(NotificationDisplay.escaped("<&>") == "&lt;&amp;&gt;")
  }

  @Test("what waits is shown once, what waits no more is withdrawn, and an answer decides")
  func course() {
    var agent = Agent()
    #expect(agent.handle(.listed([])) == [.tellIdle])
    #expect(agent.handle(.listed([])) == [])
    #expect(agent.handle(.requested(game)) == [.list])
    #expect(agent.handle(.listed([question(game)])) == [.show(question(game))])
    #expect(agent.handle(.listed([question(game), question(display)])) == [.show(question(display))])
    let more = question(game, read: ["heartRate", "height"])
    #expect(agent.handle(.listed([more, question(display)])) == [.show(more)])
    #expect(agent.handle(.answered(game, .denied)) == [.decide(more, allow: false), .list])
    #expect(agent.handle(.answered(game, .allowed)) == [], "nothing is asked of it any more")
    #expect(agent.handle(.listed([])) == [.withdraw(display), .tellIdle])
  }

  @Test("a question that was put away comes again when its program asks again")
  func dismissed() {
    var agent = Agent()
    _ = agent.handle(.listed([question(game)]))
    #expect(agent.handle(.answered(game, .dismissed)) == [])
    #expect(agent.handle(.listed([question(game)])) == [])
    #expect(agent.handle(.requested(game)) == [.list])
    #expect(agent.handle(.listed([question(game)])) == [.show(question(game))])
  }

  @Test("with the recorder its questions go, and what shows them may be restarted")
  func restarts() {
    var agent = Agent()
    _ = agent.handle(.listed([question(game)]))
    #expect(agent.handle(.displayRestarted) == [.list])
    #expect(agent.handle(.listed([question(game)])) == [.show(question(game))])
    #expect(agent.handle(.recorderGone) == [.withdraw(game)])
    #expect(agent.handle(.listed([])) == [.tellIdle])
  }
}
