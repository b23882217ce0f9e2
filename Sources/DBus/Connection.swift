/// A private connection to a message bus, an actor whose executor is its ``EventLoop``.
///
/// Replies and signals take effect in the order in which they came off the wire: what was waiting for a reply has run on
/// the loop, up to its next suspension, before the next signal is handed to the observers.
public actor Connection {
  /// The loop on whose thread everything of this connection happens.
  public nonisolated let loop: EventLoop

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// The name that the bus gave to this connection, `:1.42` for example.
  public private(set) var uniqueName = ""

  public var isConnected: Bool { fatalError("published signature") }

  public static func open(
    _ bus: BusAddress, on loop: EventLoop, timeout: Duration = .seconds(25)
  ) async throws(DBusError) -> Connection {
    fatalError("published signature")
  }

  /// Closes the connection: calls that wait end with ``DBusError/Code/disconnected``, no handler is called any more.
  public func close() {
    fatalError("published signature")
  }

  /// Calls `handler` on the loop's thread when the bus is lost (not after ``close()``), at once where it is lost already.
  public func onDisconnect(_ handler: @escaping @Sendable (DBusError) -> Void) {
    fatalError("published signature")
  }

  /// Sends a message and does not wait. Returns its serial.
  @discardableResult
  public func send(_ message: Message) throws(DBusError) -> UInt32 {
    fatalError("published signature")
  }

  /// Calls a method and waits for the answer. An error as the answer is thrown (``DBusError/Code/remote(name:)``).
  /// - Parameter timeout: nil waits for ever.
  public func call(_ message: Message, timeout: Duration? = .seconds(25)) async throws(DBusError) -> Message {
    fatalError("published signature")
  }

  /// Asks the bus for the messages that `rule` describes; observers see them.
  public func addMatch(_ rule: MatchRule) async throws(DBusError) {
    fatalError("published signature")
  }

  public func removeMatch(_ rule: MatchRule) async throws(DBusError) {
    fatalError("published signature")
  }

  /// Names an observer of signals.
  public struct ObserverToken: Hashable, Sendable {
    let identifier: UInt64
  }

  /// Calls `handler` on the loop's thread with every signal that the bus sends here, in the order of the wire.
  public func observeSignals(_ handler: @escaping @Sendable (Message) -> Void) -> ObserverToken {
    fatalError("published signature")
  }

  public func removeObserver(_ token: ObserverToken) {
    fatalError("published signature")
  }

  /// Answers calls to the object `path`, and with `subtree` to everything below it that has no handler of its own.
  public func export(
    _ path: ObjectPath, subtree: Bool = false, handler: @escaping @Sendable (Message) -> Reply
  ) {
    fatalError("published signature")
  }

  public func unexport(_ path: ObjectPath) {
    fatalError("published signature")
  }

  /// Asks for a well-known name without queueing for it; whether this connection owns it now.
  public func requestName(_ name: String, replaceExisting: Bool = false) async throws(DBusError) -> Bool {
    fatalError("published signature")
  }

  public func releaseName(_ name: String) async throws(DBusError) {
    fatalError("published signature")
  }

  /// The unique name of the connection that owns `name`; nil where nobody does.
  public func nameOwner(of name: String) async throws(DBusError) -> String? {
    fatalError("published signature")
  }
}
