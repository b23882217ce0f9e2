import Glibc

/// A private connection to a message bus, an actor whose executor is its ``EventLoop``.
///
/// Replies, signals and calls take effect in the order in which they came off the wire: a task that waited for a reply runs
/// on the loop, up to its next suspension, before the next message is dispatched. Synchronous code on the loop's thread (a
/// handler, another actor on the same loop) enters with `connection.assumeIsolated { $0.send(…) }`.
///
/// Loss of the bus ends every waiting call with ``DBusError/Code/disconnected``, and never the process. The connection does
/// not reconnect: open a new one.
public actor Connection {
  /// The loop on whose thread this connection works.
  public nonisolated let loop: EventLoop

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// The name that the bus gave to this connection, `:1.42` for example.
  public internal(set) var uniqueName = ""

  /// Nil once the bus is lost or the connection closed.
  var transport: Transport?
  var pendingCalls: [UInt32: PendingCall] = [:]
  var lastSerial: UInt32 = 0
  var observers: [(token: ObserverToken, handler: @Sendable (Message) -> Void)] = []
  var exports: [ObjectPath: ExportedObject] = [:]
  private var disconnectHandlers: [@Sendable (DBusError) -> Void] = []
  private var lastObserver: UInt64 = 0

  private init(loop: EventLoop) {
    self.loop = loop
  }

  isolated deinit {
    close()
  }

  /// Whether messages can be sent: neither lost nor closed.
  public var isConnected: Bool { transport?.isOpen ?? false }

  /// The bytes of messages that were sent and that the bus has not read yet.
  public var unsentBytes: Int { transport?.unsentBytes ?? 0 }

  /// Connects, authenticates, and says hello to the bus. Never blocks the thread.
  ///
  /// - Parameters:
  ///   - bus: The bus to connect to.
  ///   - loop: The executor of the new connection; the caller runs it.
  ///   - timeout: The longest wait for the bus's answer.
  /// - Returns: The connection, ready for calls.
  /// - Throws: ``DBusError/Code/cannotConnect(name:)``, ``DBusError/Code/timedOut``, ``DBusError/Code/disconnected`` where
  ///   the bus closes the connection, ``DBusError/Code/cancelled``.
  @concurrent public static func open(
    _ bus: BusAddress, on loop: EventLoop, timeout: Duration = .seconds(25)
  ) async throws(DBusError) -> Connection {
    let connection = Connection(loop: loop)
    try await connection.start(bus.text, timeout: timeout)
    return connection
  }

  /// Closes the connection: calls that wait end with ``DBusError/Code/disconnected``, and no handler is called any more.
  public func close() {
    disconnectHandlers = []
    end(.connectionClosed)
  }

  /// Calls `handler` once on the loop's thread when the bus is lost, or soon if it is lost already; never after
  /// ``close()``.
  public func onDisconnect(_ handler: @escaping @Sendable (DBusError) -> Void) {
    if isConnected {
      disconnectHandlers.append(handler)
    } else {
      loop.execute { handler(Self.busLost) }
    }
  }

  /// Sends a message and does not wait for an answer.
  ///
  /// - Parameter message: Its serial is ignored.
  /// - Returns: The serial that the message got.
  /// - Throws: ``DBusError/Code/disconnected``, and with nothing sent ``DBusError/Code/invalid``,
  ///   ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/tooLarge``, ``DBusError/Code/unsupported``.
  @discardableResult
  public func send(_ message: Message) throws(DBusError) -> UInt32 {
    let serial = nextSerial()
    try send(message, serial: serial)
    return serial
  }

  func send(_ message: Message, serial: UInt32) throws(DBusError) {
    guard let transport else { throw .connectionClosed }
    let wire = try message.encode(serial: serial)
    if wire.containsDescriptors, !transport.passesDescriptors {
      throw DBusError(.unsupported, "this bus passes no descriptors")
    }
    try transport.send(wire)
  }

  func nextSerial() -> UInt32 {
    lastSerial &+= 1
    if lastSerial == 0 { lastSerial = 1 }
    return lastSerial
  }

  private func start(_ address: String, timeout: Duration) async throws(DBusError) {
    // The transport lives no longer than its connection and calls back on the loop's thread only.
    transport = try Transport(address: address, loop: loop) { [weak self] incoming in
      self?.assumeIsolated { $0.receive(incoming) }
    }
    do throws(DBusError) {
      let reply = try await call(Message.bus("Hello"), timeout: timeout)
      guard let name = reply.body.first?.string else {
        throw DBusError(.cannotConnect(name: "org.freedesktop.DBus.Error.Failed"), "the bus gave no name")
      }
      uniqueName = name
    } catch {
      close()
      throw error
    }
  }

  private func receive(_ incoming: Transport.Incoming) {
    let message = incoming.message
    switch message.kind {
    case .methodReturn, .error:
      finishCall(message.replySerial, Self.result(of: incoming))
    case .signal:
      if message.isSignal("org.freedesktop.DBus.Local", "Disconnected") {
        lose()
      } else if incoming.bodyError == nil {
        for observer in observers { observer.handler(message) }
      }
    case .methodCall:
      answer(message, bodyError: incoming.bodyError)
    }
  }

  private func lose() {
    let handlers = disconnectHandlers
    disconnectHandlers = []
    end(Self.busLost)
    for handler in handlers { handler(Self.busLost) }
  }

  private func end(_ reason: DBusError) {
    transport?.close()
    transport = nil
    let calls = pendingCalls
    pendingCalls = [:]
    for serial in calls.keys.sorted() { calls[serial]?.finish(.failure(reason), on: loop) }
    observers = []
    exports = [:]
  }

  private static let busLost = DBusError(.disconnected, "the connection to the bus was lost")

  /// Identifies an observer of signals.
  public struct ObserverToken: Hashable, Sendable {
    let identifier: UInt64
  }

  /// Calls `handler` on the loop's thread with every signal that the bus sends here, in the order of the wire.
  ///
  /// The bus sends the signals of ``addMatch(_:)`` and those addressed to this connection. Every observer sees all of them.
  /// - Returns: A token for ``removeObserver(_:)``.
  public func observeSignals(_ handler: @escaping @Sendable (Message) -> Void) -> ObserverToken {
    lastObserver += 1
    let token = ObserverToken(identifier: lastObserver)
    observers.append((token, handler))
    return token
  }

  /// Ends an observation.
  public func removeObserver(_ token: ObserverToken) {
    observers.removeAll { $0.token == token }
  }
}

/// The bus to connect to.
public enum BusAddress: Hashable, Sendable {
  /// The bus of the machine, where bluetoothd is.
  case system
  /// The bus of the user's session.
  case session
  /// An address as `dbus-daemon --print-address` writes it, `unix:path=/run/user/1000/bus` for example.
  case address(String)

  /// `system`, `session`, or an address.
  public init(_ text: String) {
    switch text {
    case "system": self = .system
    case "session": self = .session
    default: self = .address(text)
    }
  }

  /// The address as D-Bus writes it. The places of the two well-known buses are those of the specification.
  var text: String {
    switch self {
    case .system:
      return Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    case .session:
      if let address = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return address }
      // Not libdbus's "autolaunch:", which would start a program and wait for it on the loop's thread.
      return "unix:path=\(Self.environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus"
    case .address(let text):
      return text
    }
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
