internal import BlueZ
internal import DBus
internal import Documents
internal import HealthModel

/// Questions on a terminal, one after the other: `y` allows, `n` denies.
actor TerminalDisplay: QuestionDisplay {
  private nonisolated let loop: EventLoop
  private let input: LineInput
  private let answered: @Sendable (ClientIdentity, Agent.Answer) -> Void
  private let ended: @Sendable () -> Void
  private var queue: [AccessQuestion] = []
  private var asking: Task<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// `ended` is called at the end of the input.
  init(
    on loop: EventLoop, answered: @escaping @Sendable (ClientIdentity, Agent.Answer) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    self.answered = answered
    self.ended = ended
    input = LineInput(on: loop)
  }

  func show(_ question: AccessQuestion) {
    withdraw(question.client)
    queue.append(question)
    askNext()
  }

  func withdraw(_ client: ClientIdentity) {
    guard let index = queue.firstIndex(where: { $0.client == client }) else { return }
    queue.remove(at: index)
    // The first is the one that is being asked.
    guard index == 0, let asking else { return }
    asking.cancel()
    self.asking = nil
    StandardError.write("\n\(PrintableText.line(client.application, columns: 60)) waits no more.\n")
    askNext()
  }

  private func askNext() {
    guard asking == nil, let question = queue.first else { return }
    asking = Task(executorPreference: loop) { await self.ask(question) }
  }

  private func ask(_ question: AccessQuestion) async {
    StandardError.write("\(question.who) asks to\n" + question.wishes.map { "  \($0)\n" }.joined())
    while !Task.isCancelled {
      StandardError.write("Allow? [y/n] ")
      guard let line = await input.next() else {
        if !Task.isCancelled { ended() }
        return
      }
      // At a terminal the return key has ended the line already.
      if !StandardInput.isTerminal { StandardError.write("\n") }
      guard let answer = PairingDialogue.consent(String(ConfigurationSyntax.trimmed(line[...]))) else { continue }
      queue.removeFirst()
      asking = nil
      answered(question.client, answer == .accepted ? .allowed : .denied)
      return askNext()
    }
  }
}
