import DBus
import Testing

/// Messages are delivered in the order of the wire.
@Suite("Order of replies and signals")
struct OrderTests {
  /// Lives on the loop, as BlueZ's client does.
  private actor Listener {
    let loop: EventLoop
    let connection: Connection
    private(set) var log: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(_ connection: Connection) {
      self.connection = connection
      loop = connection.loop
    }

    func listen() async throws {
      try await connection.addMatch(MatchRule(interface: "test.Order"))
      _ = await connection.observeSignals { [weak self] message in
        self?.assumeIsolated { $0.note(message) }
      }
    }

    func note(_ message: Message) {
      guard message.interface == "test.Order" else { return }
      log.append("signal \(message.body.first?.integer ?? -1)")
    }

    func call(_ message: Message) async throws {
      let reply = try await connection.call(message)
      log.append("reply \(reply.body.first?.integer ?? -1)")
    }

    /// A round trip behind all that `service` has sent: the bus keeps the order of one sender's messages to one receiver.
    func awaitEverything(from service: Connection) async throws {
      _ = try await connection.call(
        .call(service.uniqueName, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping"))
    }

    func callWithClosure(_ message: Message) async {
      await connection.call(message) { [weak self] result in
        self?.assumeIsolated { listener in
          guard case .success(let reply) = result else { return }
          listener.log.append("reply \(reply.body.first?.integer ?? -1)")
        }
      }
    }
  }

  /// Answers each call with: signal 1, the reply 2, signal 3, …, all in one burst.
  private func connectBurst(_ fixture: BusFixture) async throws -> Connection {
    let service = try await fixture.connect()
    await service.export("/burst") { call in
      service.assumeIsolated { service in
        let signal = Message.signal(path: "/burst", interface: "test.Order", member: "S")
        for (number, var message) in [(1, signal), (2, call.reply()), (3, signal), (4, signal)] as [(Int32, Message)] {
          message.body = [.int32(number)]
          _ = try? service.send(message)
        }
      }
      return .later
    }
    return service
  }

  @Test("a task that awaits a reply sees it after the signals before it and before those after it")
  func awaited() async throws {
    let fixture = try BusFixture()
    let service = try await connectBurst(fixture)
    let listener = Listener(try await fixture.connect())
    try await listener.listen()
    let call = await Message.call(service.uniqueName, path: "/burst", interface: "a.b", member: "C")
    for _ in 0..<50 { try await listener.call(call) }
    try await listener.awaitEverything(from: service)
    let expected = (0..<50).flatMap { _ in ["signal 1", "reply 2", "signal 3", "signal 4"] }
    #expect(await listener.log == expected)
  }

  @Test("a closure gets its reply in order too, with 50 calls in flight")
  func closures() async throws {
    let fixture = try BusFixture()
    let service = try await connectBurst(fixture)
    let listener = Listener(try await fixture.connect())
    try await listener.listen()
    let call = await Message.call(service.uniqueName, path: "/burst", interface: "a.b", member: "C")
    for _ in 0..<50 { await listener.callWithClosure(call) }
    try await listener.call(call)
    try await listener.awaitEverything(from: service)
    let expected = (0..<51).flatMap { _ in ["signal 1", "reply 2", "signal 3", "signal 4"] }
    #expect(await listener.log == expected)
  }

  @Test("signals of a removed match, or for a removed observer, are not delivered")
  func removal() async throws {
    let fixture = try BusFixture()
    let sender = try await fixture.connect()
    let client = try await fixture.connect()
    let log = Log<String>()
    let rule = MatchRule(interface: "test.Order", firstArgument: "it's")
    try await client.addMatch(rule)
    let token = await client.observeSignals { log.append($0.member ?? "") }
    func emit(_ member: String, _ argument: String = "it's") async throws {
      try await sender.send(.signal(path: "/", interface: "test.Order", member: member, body: [.string(argument)]))
      // A round trip from the receiver through the sender, behind the signal.
      _ = try await client.call(
        .call(sender.uniqueName, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping"))
    }
    try await emit("First")
    try await emit("Other", "its")
    await client.removeObserver(token)
    try await emit("Second")
    _ = await client.observeSignals { log.append($0.member ?? "") }
    try await emit("Third")
    try await client.removeMatch(rule)
    try await emit("Fourth")
    #expect(log.entries.filter { $0 != "NameAcquired" } == ["First", "Third"])
  }
}
