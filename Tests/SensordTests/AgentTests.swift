import Documents
import FoundationEssentials
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

  @Test("samples that are allowed one by one are numbered, and some of them can be allowed")
  func objects() {
    var entries = [entry(game, "heartRate", .read)]
    let ids = [UUID(), UUID(), UUID()]
    for id in ids + ids.prefix(1) {
      var row = entry(game, "visionPrescription", .read)
      row.isByObject = true
      row.object = RequestedObject(id: id, start: Timestamp(microseconds: 1_795_262_400_000_000), source: "a\u{1B}[2J")
      entries.append(row)
    }
    let question = AccessQuestion.all(in: entries)[0]
    #expect(question.read == ["heartRate"] && question.objects?.objects.map(\.id) == ids)
    #expect(question.wishes == ["read: heart rate", "read one by one: vision prescription"])
    #expect(question.choices.count == 3 && question.choices[1].hasPrefix("2  2026-11-21  a"))
    #expect(!question.choices[0].contains("\u{1B}"))
    #expect(question.chosen("1,3") == [0, 2] && question.chosen("2") == [1] && question.chosen("3 1") == [0, 2])
    for text in ["", "0", "4", "1,x", "y", "1-2"] { #expect(question.chosen(text) == nil) }
    #expect(
      NotificationDisplay.buttons(of: question) == [
        "allow", "Allow all", "only1", "Only 1", "only2", "Only 2", "only3", "Only 3", "deny", "Deny",
      ])
    #expect(NotificationDisplay.buttons(of: self.question(game)) == ["allow", "Allow", "deny", "Deny"])
    for (answer, allow, objects) in [
      (.allowed, true, [0, 1, 2]), (.only([1]), true, [1]), (.denied, false, []),
    ] as [(Agent.Answer, Bool, Set<Int>)] {
      var agent = Agent()
      _ = agent.handle(.listed([question]))
      #expect(
        agent.handle(.answered(game, answer)) == [.decide(question, allow: allow, objects: objects), .list])
    }
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
