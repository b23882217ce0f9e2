internal import DBus

/// `org.bluez.Agent1` on our own connection: answers BlueZ's questions while one device is paired, and refuses those about
/// any other.
///
/// It is never the default agent: BlueZ asks the agent of the program that called Pair, so a desktop's stays as it is.
actor PairingAgent {
  static let path: ObjectPath = "/org/sensord/agent"
  static let interface = "org.bluez.AgentManager1"

  private let connection: Connection
  private let device: ObjectPath
  /// bluetoothd's unique name: nobody else's questions are answered.
  private let owner: String
  private let ask: @Sendable (PairingStep) async -> PairingAnswer
  private var question: Task<Void, Never>?
  private var shown: PairingStep?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.loop.asUnownedSerialExecutor() }

  init(
    for device: ObjectPath, of owner: String, on connection: Connection,
    ask: @escaping @Sendable (PairingStep) async -> PairingAnswer
  ) {
    self.device = device
    self.owner = owner
    self.connection = connection
    self.ask = ask
  }

  /// Answers BlueZ's calls from here on.
  func begin() async {
    await connection.export(Self.path) { [weak self] call in
      self?.assumeIsolated { $0.handle(call) } ?? .unknownMethod
    }
  }

  /// Takes the agent away; a person who is being asked need not answer any more.
  func end() async {
    question?.cancel()
    await connection.unexport(Self.path)
  }

  private func handle(_ call: Message) -> Reply {
    guard call.sender == owner else {
      return .error(name: "org.freedesktop.DBus.Error.AccessDenied", message: "only bluetoothd may ask")
    }
    guard let request = AgentRequest(call) else { return .unknownMethod }
    if let subject = request.device, subject != device { return Self.rejection }
    switch request {
    case .release, .cancel:
      question?.cancel()
      return .success
    // Whoever called Pair has authorized it.
    case .authorization: return .success
    case .service: return Self.rejection
    case .showPasskey(_, let passkey, _): return show(.showPasskey(passkey))
    case .showPinCode(_, let code): return show(.showPinCode(code))
    case .passkey: return put(.enterPasskey, to: call)
    case .pinCode: return put(.enterPinCode, to: call)
    case .confirmation(_, let passkey): return put(.confirm(passkey), to: call)
    }
  }

  private static let rejection = Reply.error(name: "org.bluez.Error.Rejected", message: "refused")

  /// Once, although BlueZ sends it again with every digit.
  private func show(_ step: PairingStep) -> Reply {
    guard shown != step else { return .success }
    shown = step
    let ask = ask
    Task(executorPreference: connection.loop) { _ = await ask(step) }
    return .success
  }

  private func put(_ step: PairingStep, to call: Message) -> Reply {
    question?.cancel()
    let ask = ask
    let connection = connection
    question = Task(executorPreference: connection.loop) {
      let answer = await ask(step)
      guard !Task.isCancelled else { return }
      let reply: Message =
        switch (step, answer) {
        case (.enterPasskey, .passkey(let passkey)): call.reply([.uint32(passkey)])
        case (.enterPinCode, .pinCode(let code)): call.reply([.string(code)])
        case (.confirm, .accepted): call.reply()
        default: call.errorReply("org.bluez.Error.Rejected", "refused")
        }
      // Fails only where the bus is gone, and with it whoever waits.
      _ = await connection.answerLater(reply)
    }
    return .later
  }
}

extension Connection {
  fileprivate func answerLater(_ reply: Message) -> Bool {
    (try? send(reply)) != nil
  }
}
