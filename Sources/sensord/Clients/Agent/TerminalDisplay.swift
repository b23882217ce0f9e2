internal import BlueZ
internal import DBus
internal import Documents
internal import HealthModel

/// Questions on a terminal, one after the other: `y` allows, `n` denies, numbers allow some of what is allowed one by one.
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
    StandardError.write(
      "\(question.who) asks to\n" + question.wishes.map { "  \($0)\n" }.joined()
        + question.choices.map { "    \($0)\n" }.joined())
    while !Task.isCancelled {
      StandardError.write(question.choices.isEmpty ? "Allow? [y/n] " : "Allow? [y/n, or numbers such as 1,3] ")
      guard let line = await input.next() else {
        if !Task.isCancelled { ended() }
        return
      }
      // At a terminal the return key has ended the line already.
      if !StandardInput.isTerminal { StandardError.write("\n") }
      let text = String(ConfigurationSyntax.trimmed(line[...]))
      let answer: Agent.Answer
      if let places = question.chosen(text) {
        answer = .only(places)
      } else {
        guard let consent = PairingDialogue.consent(text) else { continue }
        answer = consent == .accepted ? .allowed : .denied
      }
      queue.removeFirst()
      asking = nil
      answered(question.client, answer)
      return askNext()
    }
  }
}
