import ArgumentParser
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SensordClient

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
    case recorder(SensordClient.RequestEvent)
    case display(Agent.Event)
    case ended
    case failed(CommandFailure)
  }

  /// Runs until the task is cancelled, or the input of a terminal ends.
  @concurrent static func run(on loop: EventLoop) async throws {
    guard let bus = try RunningRecorder.bus() else {
      throw CommandFailure(
        .unavailable, "there is no session bus, so no program can ask",
        remedy: "log in to a session, or use the service")
    }
    let (happenings, happen) = AsyncStream.makeStream(of: Happening.self)
    let display = try await display(on: loop) { happen.yield($0) }
    let recorder = SensordClient.owner(on: bus, loop: loop)
    let observation = Task(executorPreference: loop) {
      do throws(ClientError) {
        try await recorder.observeRequests { happen.yield(.recorder($0)) }
      } catch {
        happen.yield(.failed(error == .notAuthorized ? GrantAccess.notOwner : CommandFailure(error)))
      }
    }
    defer { observation.cancel() }
    var agent = Agent()
    var isThere: Bool?
    for await happening in happenings {
      switch happening {
      case .ended: return
      case .failed(let failure): throw failure
      case .display(let event): try await carryOut(agent.handle(event), &agent, recorder, display)
      case .recorder(.came):
        isThere = true
        try await carryOut([.list], &agent, recorder, display)
      case .recorder(.gone):
        if isThere != false { StandardError.write("No recorder is running; waiting for one.\n") }
        isThere = false
        // The requests have gone with the recorder: their questions are withdrawn.
        try await carryOut(agent.handle(.recorderGone), &agent, recorder, display)
      case .recorder(.requested(let client)):
        try await carryOut(agent.handle(.requested(client)), &agent, recorder, display)
      }
    }
  }

  @concurrent private static func carryOut(
    _ effects: [Agent.Effect], _ agent: inout Agent, _ recorder: SensordClient, _ display: any QuestionDisplay
  ) async throws {
    for effect in effects {
      switch effect {
      case .show(let question): await display.show(question)
      case .withdraw(let client): await display.withdraw(client)
      case .decide(let question, let allow, let objects):
        _ = try await asked { try await decide(question, allow, objects, recorder) }
      case .list:
        guard let entries = try await asked({ try await recorder.grants() }) else { continue }
        try await carryOut(agent.handle(.listed(AccessQuestion.all(in: entries))), &agent, recorder, display)
      case .tellIdle:
        StandardError.write("No program waits for a decision; requests appear as they come.\n")
      }
    }
  }

  /// The answer of the recorder; nil where it has gone meanwhile, and with it the program's request.
  ///
  /// - Throws: ``CommandFailure`` for a user who is not an owner.
  @concurrent private static func asked<Answer: Sendable>(
    _ question: @concurrent () async throws -> Answer
  ) async throws -> Answer? {
    do {
      return try await question()
    } catch ClientError.notAuthorized {
      throw GrantAccess.notOwner
    } catch is ClientError {
      return nil
    }
  }

  @concurrent private static func decide(
    _ question: AccessQuestion, _ isAllowed: Bool, _ objects: Set<Int>, _ recorder: SensordClient
  ) async throws {
    if let wish = question.objects {
      func ids(_ areChosen: Bool) -> Set<UUID> {
        Set(wish.objects.indices.filter { objects.contains($0) == areChosen }.map { wish.objects[$0].id })
      }
      try await recorder.decide(
        ObjectChoice(
          client: question.client, type: wish.type, allowed: ids(true), denied: ids(false),
          decided: Timestamp(microseconds: 0)))
    }
    guard !question.share.isEmpty || !question.read.isEmpty else { return }
    try await recorder.decide(about: question.client, share: question.share, read: question.read, isAllowed: isAllowed)
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
