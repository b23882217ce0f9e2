import ArgumentParser
import RecorderBus
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports

/// `sensord agent`: asks the owner what other programs may do.
struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Ask you when a program wants to read or save data.",
    discussion: """
      Runs until Ctrl-C. On a terminal it asks there; else each request is a
      desktop notification with the buttons Allow and Deny. What waits already is
      asked first. What you answer is kept: 'sensord grants' shows and changes it.

        sensord agent
      """)

  mutating func run() throws {
    // Ctrl-C ends the command.
    try CommandLoop.runInterruptibly { try await AgentRun.run(on: $0) }
  }
}

/// The run of `sensord agent`: hands events to ``Agent``, and carries out the effects.
struct AgentRun {
  private enum Happening: Sendable {
    case door(RecorderPresence.Event)
    case display(Agent.Event)
    case ended
    case failed(CommandFailure)
  }

  /// Runs until the task is cancelled, or the input of a terminal ends.
  @concurrent static func run(on loop: EventLoop) async throws {
    guard let bus = try GrantAccess.bus() else {
      throw CommandFailure(
        .unavailable, "there is no session bus, so no program can ask",
        remedy: "log in to a session, or use the service")
    }
    let (happenings, happen) = AsyncStream.makeStream(of: Happening.self)
    let display = try await display(on: loop) { happen.yield($0) }
    let recorder = RecorderPresence(bus, on: loop) { happen.yield(.door($0)) }
    let door = AgentDoor(recorder: recorder)
    let stay = recorder.begin()
    defer { stay.cancel() }
    var agent = Agent()
    var isThere: Bool?
    for await happening in happenings {
      switch happening {
      case .ended: return
      case .failed(let failure): throw failure
      case .display(let event): try await carryOut(agent.handle(event), &agent, door, display)
      case .door(.ended(let failure)):
        if let failure { throw failure }
        return
      case .door(.came):
        isThere = true
        try await carryOut([.list], &agent, door, display)
      case .door(.gone):
        if isThere != false { StandardError.write("No recorder is running; waiting for one.\n") }
        isThere = false
        // The requests have gone with the recorder: their questions are withdrawn.
        try await carryOut(agent.handle(.recorderGone), &agent, door, display)
      case .door(.signal(let message)):
        guard let client = AgentDoor.request(message) else { continue }
        try await carryOut(agent.handle(.requested(client)), &agent, door, display)
      }
    }
  }

  @concurrent private static func carryOut(
    _ effects: [Agent.Effect], _ agent: inout Agent, _ door: AgentDoor, _ display: any QuestionDisplay
  ) async throws {
    for effect in effects {
      switch effect {
      case .show(let question): await display.show(question)
      case .withdraw(let client): await display.withdraw(client)
      case .decide(let question, let allow, let objects):
        try await door.decide(question, allow: allow, objects: objects)
      case .list:
        guard let questions = try await door.questions() else { continue }
        try await carryOut(agent.handle(.listed(questions)), &agent, door, display)
      case .tellIdle:
        StandardError.write("No program waits for a decision; requests appear as they come.\n")
      }
    }
  }

  /// A terminal where there is one, else notifications, else whatever standard input is.
  @concurrent private static func display(
    on loop: EventLoop, _ happen: @escaping @Sendable (Happening) -> Void
  ) async throws -> any QuestionDisplay {
    let answered: @Sendable (ClientIdentity, Agent.Answer) -> Void = { happen(.display(.answered($0, $1))) }
    if !StandardInput.isTerminal,
      let display = try await NotificationDisplay.find(
        on: loop, answered: answered, restarted: { happen(.display(.displayRestarted)) },
        ended: {
          happen(.failed(CommandFailure(.unavailable, "the session bus ended, and with it what shows notifications")))
        })
    {
      return display
    }
    return TerminalDisplay(on: loop, answered: answered, ended: { happen(.ended) })
  }
}

/// The recorder as the agent sees it: its open requests.
struct AgentDoor {
  let recorder: RecorderPresence

  /// The program that asks, read from the signal of a request; nil for any other message.
  static func request(_ message: Message) -> ClientIdentity? {
    guard message.isSignal(ClientInterfaces.grants.name, "Requested"), let details = message.body.first?.properties,
      let uid = details["uid"]?.uint32, let application = details["application"]?.string
    else { return nil }
    return ClientIdentity(uid: uid, application: application)
  }

  /// The open requests; nil without a recorder. From then on the recorder signals new requests.
  ///
  /// - Throws: ``CommandFailure`` for a user who is not an owner.
  @concurrent func questions() async throws(CommandFailure) -> [AccessQuestion]? {
    guard let answer = try await call("List", []) else { return nil }
    return AccessQuestion.all(
      in: (answer.first?.array ?? []).compactMap { $0.properties.flatMap { GrantEntry(reading: $0) } })
  }

  /// Sends the decision; does nothing where the recorder, and the program's request with it, has gone meanwhile.
  @concurrent func decide(_ question: AccessQuestion, allow: Bool, objects: Set<Int>) async throws(CommandFailure) {
    if let wish = question.objects {
      func ids(_ areChosen: Bool) -> Set<UUID> {
        Set(wish.objects.indices.filter { objects.contains($0) == areChosen }.map { wish.objects[$0].id })
      }
      let choice = ObjectChoice(
        client: question.client, type: wish.type, allowed: ids(true), denied: ids(false),
        decided: Timestamp(microseconds: 0))
      _ = try await call("DecideObjects", GrantAccess.arguments(of: choice))
    }
    guard !question.share.isEmpty || !question.read.isEmpty else { return }
    _ = try await call(
      "Decide",
      [
        .uint32(question.client.uid), .string(question.client.application), .strings(question.share),
        .strings(question.read), .boolean(allow), .properties([:]),
      ])
  }

  @concurrent private func call(_ member: String, _ body: [Value]) async throws(CommandFailure) -> [Value]? {
    do throws(DBusError) {
      return try await recorder.call(ClientInterfaces.grants, member, body)
    } catch {
      if GrantAccess.refusesAll(error) { throw GrantAccess.notOwner }
      return nil
    }
  }
}
