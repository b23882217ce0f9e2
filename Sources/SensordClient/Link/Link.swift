import RecorderBus
import DBus
import FoundationEssentials
import HealthModel

/// One connection of a client to the recorder's door.
///
/// A recorder that has just started does not know its callers, and regards one that does not identify itself as the
/// owner. So calls go to the unique name that answered `Identify`, never to the well-known one: they cannot reach a
/// recorder that does not know who calls. A link without an application is the owner's: it does not identify itself, and never
/// starts a service.
actor Link {
  /// A recorder that knows this connection.
  struct Door: Sendable {
    let connection: Connection
    /// The recorder's unique name.
    let peer: String
  }

  /// An event at the door; events come in order, on the loop's thread.
  enum Event: Sendable {
    /// A signal of the recorder.
    case signal(Message)
    /// Bus or recorder have gone.
    case lost
  }

  /// The name of the program; nil for the owner.
  nonisolated let application: String?
  nonisolated let loop: EventLoop
  let bus: SensordClient.Bus
  let events: @Sendable (Event) -> Void
  /// Nil while there is no bus.
  var connection: Connection?
  private(set) var door: Door?
  private var opening: Task<Result<Door, ClientError>, Never>?
  private(set) var isClosed = false
  /// The tasks that wait for the end of the door, and for a recorder that owns the name.
  private var endings: [CheckedContinuation<Void, Never>] = []
  private var returns: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(
    application: String?, bus: SensordClient.Bus, loop: EventLoop, events: @escaping @Sendable (Event) -> Void
  ) {
    self.application = application
    self.bus = bus
    self.loop = loop
    self.events = events
  }

  /// The recorder, once it knows this connection. The bus may start the service for it where it is `starting`.
  func open(starting: Bool = true) async throws(ClientError) -> Door {
    if let door { return door }
    guard !isClosed else { throw .closed }
    let task = opening ?? Task(executorPreference: loop) { await self.identify(starting) }
    opening = task
    return try await task.value.get()
  }

  private func identify(_ starting: Bool) async -> Result<Door, ClientError> {
    defer { opening = nil }
    do throws(ClientError) {
      let connection = try await connected()
      let peer: String?
      do throws(DBusError) {
        peer = try await self.peer(on: connection, starting)
      } catch {
        throw ClientError(error)
      }
      guard !isClosed else { throw .closed }
      guard let peer else { throw .notRunning }
      let door = Door(connection: connection, peer: peer)
      self.door = door
      return .success(door)
    } catch {
      // A connection that has identified itself without receiving the answer could not do so again.
      if error != .notRunning { await dropConnection() }
      return .failure(error)
    }
  }

  /// The unique name of the recorder, once it knows this connection; nil without a recorder.
  private func peer(on connection: Connection, _ starting: Bool) async throws(DBusError) -> String? {
    guard let application else { return try await connection.nameOwner(of: ClientInterfaces.busName) }
    var message = Message.call(
      ClientInterfaces.busName, path: ClientInterfaces.root, interface: ClientInterfaces.authorization.name,
      member: "Identify", body: [.string(application), .properties([:])])
    message.noAutoStart = !starting
    return try await connection.call(message).sender
  }

  /// Calls a method of the recorder.
  func call(
    _ interface: Interface, _ member: String, _ body: [Value] = [], at path: ObjectPath = ClientInterfaces.root
  ) async throws(ClientError) -> [Value] {
    try await call(named: interface.name, member, body, at: path)
  }

  private func call(
    named interface: String, _ member: String, _ body: [Value], at path: ObjectPath
  ) async throws(ClientError) -> [Value] {
    let door = try await open()
    do throws(DBusError) {
      return try await door.connection.call(
        .call(door.peer, path: path, interface: interface, member: member, body: body)
      ).body
    } catch {
      let error = ClientError(error)
      // The recorder that knew this connection has gone.
      throw isClosed ? .closed : error == .notRunning ? .interrupted : error
    }
  }

  /// All properties of an object's interface.
  func properties(of interface: Interface, at path: ObjectPath) async throws(ClientError) -> [String: Value] {
    let answer = try await call(
      named: "org.freedesktop.DBus.Properties", "GetAll", [.string(interface.name)], at: path)
    guard let properties = answer.first?.properties else { throw .unreadable }
    return properties
  }

  /// Returns the parts of a session or a workout: its identifier, which its path ends with, its sensor, its start and the program
  /// that began it.
  func begun(
    _ path: ObjectPath, _ interface: Interface, below parent: ObjectPath
  ) async throws(ClientError) -> (id: UUID, sensor: String?, start: Timestamp, program: ClientIdentity) {
    let properties = try await properties(of: interface, at: path)
    guard let id = path.identifier(below: parent), let start = properties["Start"]?.int64 else { throw .unreadable }
    let sensor = properties["Sensor"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    let program = ClientIdentity(
      uid: properties["Uid"]?.uint32 ?? 0, application: properties["Application"]?.string ?? "")
    return (id, sensor, Timestamp(microseconds: start), program)
  }

  /// The objects that this program has directly below `path`.
  func objects(below path: ObjectPath) async throws(ClientError) -> [ObjectPath] {
    let answer = try await call(named: "org.freedesktop.DBus.Introspectable", "Introspect", [], at: path)
    guard let text = answer.first?.string else { throw .unreadable }
    return path.children(in: text)
  }

  /// Ends the connection for good.
  func close() async {
    isClosed = true
    await dropConnection()
    resume(&returns)
  }

  func dropConnection() async {
    lose()
    guard let connection else { return }
    self.connection = nil
    await connection.close()
  }

  /// Bus or recorder have gone.
  func lose() {
    guard door != nil else { return }
    door = nil
    resume(&endings)
    if !isClosed { events(.lost) }
  }

  /// A signal came over the bus.
  func receive(_ message: Message) {
    if message.sender == "org.freedesktop.DBus" {
      guard message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"),
        message.body.first?.string == ClientInterfaces.busName, message.body.count == 3
      else { return }
      let owner = message.body[2].string ?? ""
      if let door, door.peer != owner { lose() }
      if !owner.isEmpty { resume(&returns) }
    } else if let door, message.sender == door.peer {
      events(.signal(message))
    }
  }

  /// Returns when the door is lost.
  func end() async {
    guard door != nil else { return }
    await withCheckedContinuation { endings.append($0) }
  }

  /// Returns when something has come to own the name, or the connection is lost.
  func ownerCame() async {
    guard !isClosed else { return }
    await withCheckedContinuation { returns.append($0) }
  }

  func busWasLost() {
    connection = nil
    lose()
    resume(&returns)
  }

  private func resume(_ waiters: inout [CheckedContinuation<Void, Never>]) {
    let all = waiters
    waiters = []
    for waiter in all { waiter.resume() }
  }
}
