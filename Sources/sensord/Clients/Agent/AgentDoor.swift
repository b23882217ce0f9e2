internal import ClientInterfaces
internal import DBus
internal import Documents
internal import HealthModel

/// The recorder as the agent sees it: what waits there, and when that may have changed. It may end and come back.
actor AgentDoor {
  /// What happens there, on the loop's thread.
  enum Event: Sendable {
    /// A recorder is there, perhaps another one than before.
    case came
    case gone
    case requested([String: Value])
  }

  private nonisolated let loop: EventLoop
  private let bus: BusAddress
  private let events: @Sendable (Event) -> Void
  private var connection: Connection?
  private var busEnd: CheckedContinuation<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ bus: BusAddress, on loop: EventLoop, events: @escaping @Sendable (Event) -> Void) {
    self.bus = bus
    self.loop = loop
    self.events = events
  }

  /// Stays on the bus, and returns to it when it was gone, until the task is cancelled.
  ///
  /// - Throws: Where there is no bus at the beginning.
  func stay() async throws {
    var failures = 0
    var wasThere = false
    while !Task.isCancelled {
      do throws(DBusError) {
        try await visit()
        wasThere = true
        failures = 0
      } catch {
        guard wasThere else { throw error }
      }
      events(.gone)
      try await loop.sleep(for: .seconds([1, 2, 5, 10, 30][min(failures, 4)]))
      failures += 1
    }
  }

  /// Returns when the bus has gone.
  private func visit() async throws(DBusError) {
    let connection = try await Connection.open(bus, on: loop, timeout: .seconds(5))
    self.connection = connection
    _ = await connection.observeSignals { [weak self] message in
      self?.assumeIsolated { $0.receive(message) }
    }
    try await connection.addMatch(
      MatchRule(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
        path: "/org/freedesktop/DBus", firstArgument: ClientInterfaces.busName))
    events(try await connection.nameOwner(of: ClientInterfaces.busName) == nil ? .gone : .came)
    await connection.onDisconnect { [weak self] _ in
      self?.assumeIsolated { $0.busHasGone() }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { busEnd = $0 }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.busHasGone() } }
    }
    await connection.close()
  }

  private func busHasGone() {
    connection = nil
    busEnd?.resume()
    busEnd = nil
  }

  private func receive(_ message: Message) {
    if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.sender == "org.freedesktop.DBus" {
      guard message.body.first?.string == ClientInterfaces.busName, message.body.count == 3 else { return }
      events(message.body[2].string == "" ? .gone : .came)
    } else if message.isSignal(ClientInterfaces.grants.name, "Requested"),
      let details = message.body.first?.properties
    {
      events(.requested(details))
    }
  }

  /// What waits; nil where no recorder is there. From then on the recorder tells of requests.
  ///
  /// - Throws: ``CommandFailure`` where this user is no owner.
  func questions() async throws(CommandFailure) -> [AccessQuestion]? {
    guard let answer = try await call("List", []) else { return nil }
    return AccessQuestion.all(
      in: (answer.first?.array ?? []).compactMap { $0.properties.flatMap { GrantEntry(reading: $0) } })
  }

  /// Decides; nothing where the recorder has gone meanwhile, with the program's request.
  func decide(_ question: AccessQuestion, allow: Bool) async throws(CommandFailure) {
    _ = try await call(
      "Decide",
      [
        .uint32(question.client.uid), .string(question.client.application), .strings(question.share),
        .strings(question.read), .boolean(allow), .properties([:]),
      ])
  }

  private func call(_ member: String, _ body: [Value]) async throws(CommandFailure) -> [Value]? {
    guard let connection else { return nil }
    do throws(DBusError) {
      return try await GrantAccess.ask(connection, member, body)
    } catch {
      if GrantAccess.refusesAll(error) { throw GrantAccess.notOwner }
      return nil
    }
  }
}
