import RecorderBus

internal import DBus
internal import Reports

/// The presence and the signals of the recorder on a bus, for commands that stay. Recorder and bus may end and come back.
actor RecorderPresence {
  /// The events of the recorder, on the loop's thread.
  enum Event: Sendable {
    /// A recorder is there, perhaps another one than before.
    case came
    case gone
    /// A signal of the recorder to this connection. Signals of other senders are dropped, since anybody may send them.
    case signal(Message)
    /// The last event: the task was cancelled, or there was no bus at the beginning.
    case ended(CommandFailure?)
  }

  private nonisolated let loop: EventLoop
  private let bus: BusAddress
  private let events: @Sendable (Event) -> Void
  private var connection: Connection?
  /// The recorder's connection.
  private var owner: String?
  private var busEnd: CheckedContinuation<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ bus: BusAddress, on loop: EventLoop, events: @escaping @Sendable (Event) -> Void) {
    self.bus = bus
    self.loop = loop
    self.events = events
  }

  /// Stays on the bus, and returns to it when it was gone, until the task is cancelled.
  nonisolated func begin() -> Task<Void, Never> {
    Task(executorPreference: loop) {
      do {
        try await self.stay()
      } catch is CancellationError {
        self.events(.ended(nil))
      } catch {
        self.events(.ended(CommandFailure(classifying: error) ?? CommandFailure(.internalError, "\(error)")))
      }
    }
  }

  private func stay() async throws {
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
    owner = try await connection.nameOwner(of: ClientInterfaces.busName)
    events(owner == nil ? .gone : .came)
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
    owner = nil
    busEnd?.resume()
    busEnd = nil
  }

  private func receive(_ message: Message) {
    guard message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.sender == "org.freedesktop.DBus" else {
      if let owner, message.sender == owner { events(.signal(message)) }
      return
    }
    guard message.body.first?.string == ClientInterfaces.busName, message.body.count == 3 else { return }
    owner = message.body[2].string.flatMap { $0.isEmpty ? nil : $0 }
    events(owner == nil ? .gone : .came)
  }

  /// Calls a method of the root; it does not start a recorder. Nil where there is no bus.
  func call(_ interface: Interface, _ member: String, _ body: [Value]) async throws(DBusError) -> [Value]? {
    guard let connection else { return nil }
    return try await GrantAccess.ask(connection, interface, member, body)
  }
}
