internal import DBus
internal import Glibc

/// Puts the simulated host on the bus: passes calls and time to it, and carries out its effects.
///
/// An actor on the loop's thread. The model decides everything; this type only translates.
actor Service {
  private let loop: EventLoop
  private let bus: BusAddress
  /// The number of simulated seconds that pass in one.
  private let speed: Double
  private let log: GroundTruthLog?
  /// Ends the program with this exit code and, unless it is 0, this reason.
  private let end: @Sendable (Int32, String) -> Void

  private var host: SimulatedHost
  /// The boot clock at the start of simulated time.
  private var origin: Int64 = 0
  private var connection: Connection?
  /// Effects that wait until the bus is joined; nil while it is joined.
  private var held: [LinkEffect]? = []
  private var calls: [CallToken: Message] = [:]
  private var pipes: [PipeToken: Pipe] = [:]
  private var timer: (token: TimerToken, due: SimulationInstant)?
  private var lastCall: UInt64 = 0

  /// Our end of a socket pair that a client has acquired.
  private struct Pipe {
    let descriptor: SharedDescriptor
    let number: Int32
    let watch: WatchToken
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(
    _ scenario: Scenario, on bus: BusAddress, loop: EventLoop, seed: UInt64 = 1, speed: Double = 1,
    log: GroundTruthLog? = nil,
    end: @escaping @Sendable (Int32, String) -> Void
  ) {
    self.loop = loop
    self.bus = bus
    self.speed = speed
    self.log = log
    self.end = end
    host = SimulatedHost(scenario: scenario, seed: seed)
  }

  /// Joins the bus and starts simulated time; `ready` is called when clients can call.
  func begin(ready: @Sendable () -> Void) async {
    guard await join() else { return }
    origin = BootClock.now()
    carryOut(host.start())
    release()
    ready()
    setTimer()
  }

  /// Performs live scenario items.
  func perform(_ items: [ScenarioItem]) {
    for item in items { handle(.item(item)) }
  }

  private var now: SimulationInstant {
    SimulationInstant(microseconds: Int64(Double(BootClock.now() - origin) * speed))
  }

  private func handle(_ input: Input) {
    carryOut(host.handle(input, at: now))
    setTimer()
  }

  private func setTimer() {
    guard timer?.due != host.deadline else { return }
    if let timer { loop.cancel(timer.token) }
    timer = nil
    guard let due = host.deadline else { return }
    let instant = origin + Int64((Double(due.microseconds) / speed).rounded(.up))
    let token = loop.schedule(at: instant) { [weak self] in
      self?.assumeIsolated { service in
        service.timer = nil
        service.handle(.time)
      }
    }
    timer = (token, due)
  }
}

// MARK: - The bus

extension Service {
  private func join() async -> Bool {
    do {
      let connection = try await Connection.open(bus, on: loop)
      await connection.export(.root, subtree: true) { [weak self] message in
        self?.assumeIsolated { $0.receive(message) } ?? .unknownMethod
      }
      _ = await connection.observeSignals { [weak self] message in
        self?.assumeIsolated { $0.observe(message) }
      }
      await connection.onDisconnect { [end] _ in end(69, "the bus is gone") }
      try await connection.addMatch(
        MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged"))
      self.connection = connection
      guard try await connection.requestName("org.bluez") else {
        end(69, "somebody else owns org.bluez on this bus")
        return false
      }
      return true
    } catch {
      end(69, error.description)
      return false
    }
  }

  private func rejoin() async {
    if await join() { release() }
  }

  /// Carries out the effects that waited for the bus.
  private func release() {
    let effects = held ?? []
    held = nil
    carryOut(effects)
  }

  private func receive(_ message: Message) -> Reply {
    lastCall += 1
    let token = CallToken(number: lastCall)
    calls[token] = message
    let arguments = message.body.map { Property($0) }
    let signature = arguments.map { $0?.signature ?? "v" }.joined()
    handle(
      .call(
        Call(
          token: token, sender: message.sender ?? "", path: message.path?.text ?? "/",
          interface: message.interface ?? "", member: message.member ?? "", signature: signature,
          arguments: arguments.compactMap { $0 })))
    return .later
  }

  private func observe(_ message: Message) {
    guard message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.body.count == 3,
      let name = message.body[0].string, name.hasPrefix(":"), message.body[2].string == ""
    else { return }
    handle(.clientLeft(name))
  }

  private func send(_ message: Message) {
    guard let connection else { return }
    // Fails only if the bus is gone, which ends the program anyway.
    _ = connection.assumeIsolated { connection in try? connection.send(message) }
  }
}

// MARK: - Effects

extension Service {
  private func carryOut(_ effects: [LinkEffect]) {
    for effect in effects {
      if case .log(let entry) = effect {
        log?.write(entry)
      } else if held != nil {
        held?.append(effect)
      } else {
        carryOut(effect)
      }
    }
  }

  private func carryOut(_ effect: LinkEffect) {
    switch effect {
    case .log(let entry): log?.write(entry)
    case .reply(let token, let values):
      if let call = calls.removeValue(forKey: token) { send(call.reply(values.map(\.value))) }
    case .failure(let token, let error):
      if let call = calls.removeValue(forKey: token) { send(call.errorReply(error.name, error.text)) }
    case .acquired(let token, let pipe, let mtu): hand(over: pipe, mtu: mtu, to: token)
    case .interfacesAdded(let path, let interfaces):
      emit("InterfacesAdded", [Property.objectPath(path).value, Property.value(interfaces)])
    case .interfacesRemoved(let path, let interfaces):
      emit("InterfacesRemoved", [Property.objectPath(path).value, .strings(interfaces)])
    case .propertiesChanged(let path, let interface, let properties, let invalidated):
      send(
        .signal(
          path: ObjectPath(path) ?? .root, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
          body: [.string(interface), Property.value(properties), .strings(invalidated)]))
    case .signal(let path, let interface, let member, let values):
      send(
        .signal(
          path: ObjectPath(path) ?? .root, interface: interface, member: member, body: values.map(\.value)))
    case .packet(let pipe, let bytes): send(bytes, on: pipe)
    case .close(let pipe): close(pipe)
    case .askAgent(let sender, let path, let member, let arguments, let question):
      ask(sender, path: path, member: member, arguments, question: question)
    case .leaveBus:
      calls.removeAll()
      let left = connection
      connection = nil
      left?.assumeIsolated { $0.close() }
    case .joinBus:
      held = []
      Task(executorPreference: loop) { await self.rejoin() }
    }
  }

  private func emit(_ member: String, _ body: [Value]) {
    send(.signal(path: .root, interface: "org.freedesktop.DBus.ObjectManager", member: member, body: body))
  }

  private func hand(over pipe: PipeToken, mtu: UInt16, to token: CallToken) {
    guard let call = calls.removeValue(forKey: token) else { return }
    var pair: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &pair) { pair in
      unsafe pair.withMemoryRebound(to: Int32.self, capacity: 2) { numbers in
        unsafe socketpair(
          AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, numbers)
      }
    }
    guard made == 0 else {
      return send(call.errorReply("org.bluez.Error.Failed", "Input/output error"))
    }
    let ours = SharedDescriptor(FileDescriptor(owning: pair.0))
    let theirs = SharedDescriptor(FileDescriptor(owning: pair.1))
    let watch = try? loop.watch(pair.0, for: []) { [weak self] readiness in
      guard readiness.contains(.hangUp) else { return }
      self?.assumeIsolated { $0.pipeHungUp(pipe) }
    }
    guard let watch else { return send(call.errorReply("org.bluez.Error.Failed", "Input/output error")) }
    pipes[pipe] = Pipe(descriptor: ours, number: pair.0, watch: watch)
    send(call.reply([.descriptor(theirs), .uint16(mtu)]))
  }

  private func pipeHungUp(_ pipe: PipeToken) {
    close(pipe)
    handle(.pipeClosed(pipe))
  }

  private func send(_ bytes: [UInt8], on token: PipeToken) {
    guard let pipe = pipes[token] else { return }
    let sent = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(pipe.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // bluetoothd also drops what a client does not read.
    let reason = errno == EAGAIN ? "full" : "gone"
    if sent < 0 { log?.write(LogEntry("swallowed", ["hex": .string(bytes.hex), "why": .string(reason)])) }
  }

  private func close(_ token: PipeToken) {
    guard let pipe = pipes.removeValue(forKey: token) else { return }
    loop.cancel(pipe.watch)
    _ = pipe.descriptor.take()
  }

  private func ask(_ sender: String, path: String, member: String, _ arguments: [Property], question: UInt64) {
    guard let agent = ObjectPath(path) else { return }
    let call = Message.call(
      sender, path: agent, interface: "org.bluez.Agent1", member: member, body: arguments.map(\.value))
    Task(executorPreference: loop) { await self.ask(call, question: question) }
  }

  private func ask(_ call: Message, question: UInt64) async {
    let answer = try? await connection?.call(call, timeout: .seconds(60))
    handle(.agentAnswered(question: question, answer.map { $0.body.compactMap { Property($0) } }))
  }
}
