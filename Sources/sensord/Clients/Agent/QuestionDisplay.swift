import BlueZ
import DBus
import HealthModel
import Reports
import Support

/// The display on which a person sees and answers questions. Calls `answered` on the loop's thread.
protocol QuestionDisplay: Sendable {
  /// Shows a question in place of an earlier one of the same program.
  func show(_ question: AccessQuestion) async
  /// Withdraws the question of a program that waits no more.
  func withdraw(_ client: ClientIdentity) async
}

/// Questions on a terminal, one after the other: `y` allows, `n` denies, numbers allow some of what is allowed one by one.
actor TerminalDisplay: QuestionDisplay {
  private nonisolated let loop: EventLoop
  private let input: LineInput
  private let answered: @Sendable (ClientIdentity, Agent.Answer) -> Void
  private let ended: @Sendable () -> Void
  private var queue: [AccessQuestion] = []
  private var asking: Task<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// Creates the display; `ended` is called at the end of the input.
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

/// Questions as desktop notifications with two buttons.
///
/// Source: Desktop Notifications Specification 1.2 (`org.freedesktop.Notifications`).
actor NotificationDisplay: QuestionDisplay {
  private static let name = "org.freedesktop.Notifications"
  private static let path: ObjectPath = "/org/freedesktop/Notifications"

  private nonisolated let loop: EventLoop
  private let connection: Connection
  private let answered: @Sendable (ClientIdentity, Agent.Answer) -> Void
  private let restarted: @Sendable () -> Void
  /// The service's numbers of the questions on the display.
  private var numbers: [ClientIdentity: UInt32] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private init(
    _ connection: Connection, answered: @escaping @Sendable (ClientIdentity, Agent.Answer) -> Void,
    restarted: @escaping @Sendable () -> Void
  ) {
    loop = connection.loop
    self.connection = connection
    self.answered = answered
    self.restarted = restarted
  }

  /// Nil where no service shows notifications with buttons on the person's session bus. `restarted` is called when another one
  /// has come.
  @concurrent static func find(
    on loop: EventLoop, answered: @escaping @Sendable (ClientIdentity, Agent.Answer) -> Void,
    restarted: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) async throws -> NotificationDisplay? {
    guard DoorPlace.hasSessionBus(.current) else { return nil }
    do throws(DBusError) {
      let connection = try await Connection.open(.session, on: loop, timeout: .seconds(5))
      let answer = try await connection.call(
        .call(name, path: path, interface: name, member: "GetCapabilities"), timeout: .seconds(5))
      guard answer.body.first?.strings?.contains("actions") == true else { return nil }
      let display = NotificationDisplay(connection, answered: answered, restarted: restarted)
      try await display.listen()
      await connection.onDisconnect { _ in ended() }
      return display
    } catch {
      return nil
    }
  }

  private func listen() async throws(DBusError) {
    _ = await connection.observeSignals { [weak self] message in
      self?.assumeIsolated { $0.receive(message) }
    }
    try await connection.addMatch(MatchRule(interface: Self.name, path: Self.path))
    try await connection.addMatch(
      MatchRule(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
        path: "/org/freedesktop/DBus", firstArgument: Self.name))
  }

  func show(_ question: AccessQuestion) async {
    // Read by the service as markup; names are hostile.
    let choices = question.choices.prefix(8).map { "\n\(Self.escaped($0))" }.joined()
    let body = question.wishes.map { "It wants to \(Self.escaped($0))." }.joined(separator: "\n") + choices
    let message = Message.call(
      Self.name, path: Self.path, interface: Self.name, member: "Notify",
      body: [
        .string("sensord"), .uint32(numbers[question.client] ?? 0), .string("dialog-question"),
        .string("\(question.who) asks for health data"), .string(body),
        .strings(Self.buttons(of: question)), .properties(["urgency": .byte(1), "resident": .boolean(true)]),
        // The notification stays until it is answered.
        .int32(0),
      ])
    guard let number = try? await connection.call(message).body.first?.uint32 else { return }
    numbers[question.client] = number
  }

  /// A button for each of a few samples that are allowed one by one, which allows that sample alone. More of them are chosen on a
  /// terminal.
  static func buttons(of question: AccessQuestion) -> [String] {
    let count = question.choices.count
    let single = (2...4).contains(count) ? (1...count).flatMap { ["only\($0)", "Only \($0)"] } : []
    return ["allow", count > 1 ? "Allow all" : "Allow"] + single + ["deny", "Deny"]
  }

  func withdraw(_ client: ClientIdentity) async {
    guard let number = numbers.removeValue(forKey: client) else { return }
    await close(number)
  }

  private func close(_ number: UInt32) async {
    _ = try? await connection.call(
      .call(
        Self.name, path: Self.path, interface: Self.name, member: "CloseNotification", body: [.uint32(number)]))
  }

  private func receive(_ message: Message) {
    if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.sender == "org.freedesktop.DBus" {
      guard message.body.first?.string == Self.name, message.body.count == 3 else { return }
      numbers = [:]
      if message.body[2].string != "" { restarted() }
      return
    }
    guard message.interface == Self.name, let number = message.body.first?.uint32,
      let client = numbers.first(where: { $0.value == number })?.key
    else { return }
    switch (message.member, message.body.dropFirst().first?.string) {
    case ("ActionInvoked", "allow"): answer(client, number, .allowed)
    case ("ActionInvoked", "deny"): answer(client, number, .denied)
    case ("ActionInvoked", let action?) where action.hasPrefix("only"):
      guard let place = Int(action.dropFirst(4)) else { return }
      answer(client, number, .only([place - 1]))
    case ("NotificationClosed", _):
      numbers[client] = nil
      answered(client, .dismissed)
    default: return
    }
  }

  private func answer(_ client: ClientIdentity, _ number: UInt32, _ answer: Agent.Answer) {
    numbers[client] = nil
    answered(client, answer)
    // A resident one stays until it is closed.
    Task(executorPreference: loop) { await self.close(number) }
  }

  /// Safe as text in the markup of a notification's body.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
