package import DBus
import Glibc
import Synchronization

/// The least `org.bluez` that a client can be tested with: objects that a test gives it, answers that a test prescribes,
/// and signals when the test wants them. It knows nothing of Bluetooth.
package actor ScriptedBlueZ {
  private let connection: Connection
  private var objects: [ObjectPath: [String: MadeUp.Properties]] = [:]
  /// Answers to a member, used up one by one; the last one stays.
  private var answers: [String: [Reply]] = [:]
  private var waiting: [(member: String, continuation: CheckedContinuation<Message, Never>)] = []
  /// The calls that nobody has waited for, in the order in which they came.
  private var calls: [Message] = []
  /// bluetoothd's end of the descriptors that it gave.
  private var ends: [FileDescriptorBox] = []

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.loop.asUnownedSerialExecutor() }

  private init(_ connection: Connection) {
    self.connection = connection
  }

  /// Takes the name and exports the objects.
  package static func start(
    on address: String, loop: EventLoop, objects: [ObjectPath: [String: MadeUp.Properties]]
  ) async throws -> ScriptedBlueZ {
    let bluez = ScriptedBlueZ(try await Connection.open(.address(address), on: loop))
    try await bluez.run(objects)
    return bluez
  }

  private func run(_ objects: [ObjectPath: [String: MadeUp.Properties]]) async throws {
    self.objects = objects
    await connection.export(.root, subtree: true) { [weak self] call in
      self?.assumeIsolated { $0.answer(call) } ?? .unknownMethod
    }
    guard try await connection.requestName("org.bluez") else { throw DBusError(.invalid, "the name is taken") }
  }

  /// Ends as on SIGKILL: the connection is just gone.
  package func kill() async {
    await connection.close()
    ends = []
  }

  package func answer(_ member: String, _ replies: Reply...) {
    answers[member] = replies
  }

  /// Forgets what ``answer(_:_:)`` prescribed.
  package func answerAsUsual(_ member: String) {
    answers[member] = nil
  }

  /// The next call of this method, waiting for it where it has not come.
  package func next(_ member: String) async -> Message {
    if let index = calls.firstIndex(where: { $0.member == member }) { return calls.remove(at: index) }
    return await withCheckedContinuation { waiting.append((member, $0)) }
  }

  /// Its unique name on the bus.
  package var name: String { connection.assumeIsolated { $0.uniqueName } }

  /// The objects of which this method was called, in order, without calls that a test has waited for.
  package func paths(of member: String) -> [ObjectPath] {
    calls.filter { $0.member == member }.compactMap(\.path)
  }

  /// How many calls of this method came that no test has asked for.
  package func count(_ member: String) -> Int { calls.count { $0.member == member } }

  private func answer(_ call: Message) -> Reply {
    let member = call.member ?? ""
    let reply = reply(to: member)
    if let index = waiting.firstIndex(where: { $0.member == member }) {
      waiting.remove(at: index).continuation.resume(returning: call)
    } else {
      calls.append(call)
    }
    return reply
  }

  private func reply(to member: String) -> Reply {
    guard var replies = answers[member], let reply = replies.first else {
      if member == "GetManagedObjects" { return .values([MadeUp.objectsValue(objects)]) }
      return member == "AcquireNotify" ? giveDescriptor() : .success
    }
    if replies.count > 1 {
      replies.removeFirst()
      answers[member] = replies
    }
    return reply
  }

  /// Answers a call of AcquireNotify whose answer was ``Reply/later``.
  package func sendDescriptor(for call: Message) throws {
    guard case .values(let values) = giveDescriptor() else { return }
    try send(call.reply(values))
  }

  private func giveDescriptor() -> Reply {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else { return .unknownMethod }
    ends.append(FileDescriptorBox(FileDescriptor(owning: pair[1])))
    return .values([.descriptor(SharedDescriptor(FileDescriptor(owning: pair[0]))), .uint16(517)])
  }

  /// Sends packets through the descriptor that was given last.
  package func packets(_ packets: [UInt8]...) {
    for packet in packets { _ = ends.last?.write(packet) }
  }

  /// bluetoothd closes the descriptor that it gave last.
  package func closeDescriptor() {
    _ = ends.popLast()
  }

  /// Whether the client has closed the descriptor that was given last.
  package func isClosedByClient() -> Bool {
    ends.last?.write([0]) == false
  }

  /// Emits PropertiesChanged, so often.
  package func change(
    _ path: ObjectPath, _ interface: String, _ properties: MadeUp.Properties, invalidated: [String] = [],
    times: Int = 1
  ) throws {
    for _ in 0..<times { try send(MadeUp.changed(path, interface, properties, invalidated: invalidated)) }
  }

  package func add(_ path: ObjectPath, _ interfaces: [String: MadeUp.Properties]) throws {
    objects[path, default: [:]].merge(interfaces) { $1 }
    try send(MadeUp.added(path, interfaces))
  }

  package func remove(_ path: ObjectPath, _ interfaces: [String]) throws {
    objects[path] = nil
    try send(MadeUp.removed(path, interfaces))
  }

  /// Answers a call whose answer was ``Reply/later``.
  package func send(_ message: Message) throws {
    try connection.assumeIsolated { connection in _ = try connection.send(message) }
  }

  /// A link comes up, with services and the measurement.
  package func link(_ device: ObjectPath = MadeUp.device, _ measurement: ObjectPath? = MadeUp.measurement) throws {
    try change(device, "Device1", ["Connected": .boolean(true)])
    if let measurement { try add(measurement, MadeUp.measurementObject) }
    try change(device, "Device1", ["ServicesResolved": .boolean(true)])
  }

  package func unlink(_ device: ObjectPath = MadeUp.device) throws {
    try change(device, "Device1", ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
  }
}

/// Holds a descriptor in an array.
private final class FileDescriptorBox: Sendable {
  private let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  func write(_ bytes: [UInt8]) -> Bool {
    unsafe Glibc.send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
