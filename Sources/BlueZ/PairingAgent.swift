import DBus

/// `org.bluez.Agent1` on our own connection: answers BlueZ's questions while one device is paired, and refuses those about
/// any other.
///
/// Never the default agent: BlueZ asks the agent of the program that called Pair, so a desktop's stays as it is.
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

/// A question of BlueZ to a pairing agent: one call of `org.bluez.Agent1`, read. Pure.
///
/// Source: BlueZ `doc/agent-api.txt`.
enum AgentRequest: Hashable, Sendable {
  /// The agent is not registered any more.
  case release
  /// The question that was asked last is void.
  case cancel
  case pinCode(ObjectPath)
  case showPinCode(ObjectPath, String)
  case passkey(ObjectPath)
  /// Told again with every digit that is entered on the device.
  case showPasskey(ObjectPath, UInt32, entered: UInt16)
  case confirmation(ObjectPath, UInt32)
  /// A pairing in which nothing is compared or entered.
  case authorization(ObjectPath)
  case service(ObjectPath)

  /// Nil where `call` is none of them, or has other arguments.
  init?(_ call: Message) {
    guard call.interface == "org.bluez.Agent1" || call.interface == nil, let member = call.member else { return nil }
    let body = call.body
    switch (member, body.first?.objectPath) {
    case ("Release", _): self = .release
    case ("Cancel", _): self = .cancel
    case ("RequestPinCode", let device?): self = .pinCode(device)
    case ("RequestPasskey", let device?): self = .passkey(device)
    case ("RequestAuthorization", let device?): self = .authorization(device)
    case ("AuthorizeService", let device?): self = .service(device)
    case ("DisplayPinCode", let device?):
      guard body.count == 2, let code = body[1].string else { return nil }
      self = .showPinCode(device, code)
    case ("DisplayPasskey", let device?):
      guard body.count == 3, let passkey = body[1].uint32, let entered = body[2].uint16 else { return nil }
      self = .showPasskey(device, passkey, entered: entered)
    case ("RequestConfirmation", let device?):
      guard body.count == 2, let passkey = body[1].uint32 else { return nil }
      self = .confirmation(device, passkey)
    default: return nil
    }
  }

  /// The device that it is about.
  var device: ObjectPath? {
    switch self {
    case .release, .cancel: nil
    case .pinCode(let device), .passkey(let device), .authorization(let device), .service(let device),
      .showPinCode(let device, _), .showPasskey(let device, _, _), .confirmation(let device, _):
      device
    }
  }
}

/// A step that a person has to do while a device is paired.
public enum PairingStep: Hashable, Sendable {
  /// The device shows a number of up to six digits that has to be entered here.
  case enterPasskey
  /// An old device wants a code of up to 16 characters: that of its manual.
  case enterPinCode
  /// This number of six digits has to be entered on the device. Nothing is asked here.
  case showPasskey(UInt32)
  /// This code has to be entered on the device. Nothing is asked here.
  case showPinCode(String)
  /// Does the device show the same number of six digits?
  case confirm(UInt32)
}

/// A person's answer to a ``PairingStep``.
public enum PairingAnswer: Hashable, Sendable {
  case accepted
  /// 0…999999.
  case passkey(UInt32)
  /// 1 to 16 characters.
  case pinCode(String)
  case refused
}
