import DBus
import Glibc
import Synchronization

/// A client on the bus that writes down what it sees, in order, and lets tests wait for it.
final class BusClient: Sendable {
  let loop: EventLoop
  let connection: Connection
  private let state = Mutex(State())

  private struct State {
    var seen: [String] = []
    var waiting: [(count: Int, what: String, continuation: CheckedContinuation<Void, Never>)] = []
    var packets: WatchToken?
  }

  init(_ address: String) async throws {
    loop = try EventLoop.startThread(named: "client")
    connection = try await Connection.open(.address(address), on: loop)
    _ = await connection.observeSignals { [weak self] in self?.note($0) }
    try await connection.addMatch(MatchRule(sender: "org.bluez"))
    try await connection.addMatch(
      MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", firstArgument: "org.bluez"))
  }

  deinit {
    loop.stop()
  }

  /// Everything seen so far.
  var seen: [String] { state.withLock { $0.seen } }

  /// Waits until a line that contains `what` has been seen `count` times.
  func saw(_ what: String, times count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.seen.count(where: { $0.contains(what) }) >= count { return true }
        state.waiting.append((count, what, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Calls a method of `org.bluez`.
  @discardableResult
  func call(_ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value] = []) async throws -> [Value] {
    try await connection.call(
      .call("org.bluez", path: path, interface: interface, member: member, body: body), timeout: nil
    ).body
  }

  /// Discovers the straps, and connects to `device` until it is resolved.
  func connect(_ device: ObjectPath) async throws {
    let filter = Value.properties(["UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"])])
    try await call("/org/bluez/hci0", "org.bluez.Adapter1", "SetDiscoveryFilter", [filter])
    try await call("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
    await saw("+ \(device)")
    try await call("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
    try await call(device, "org.bluez.Device1", "Connect")
    await saw("\(device) ServicesResolved=true")
  }

  /// Calls AcquireNotify and writes down each packet, and `end of file` at the hang-up.
  func acquire(_ characteristic: ObjectPath) async throws -> UInt16? {
    let reply = try await call(
      characteristic, "org.bluez.GattCharacteristic1", "AcquireNotify", [.properties([:])])
    guard let descriptor = reply.first?.descriptor else { return nil }
    let number = try descriptor.duplicate().release()
    loop.execute { [weak self] in
      guard let self else { return }
      let token = try? self.loop.watch(number, for: .readable) { [weak self] readiness in
        self?.read(number, hangsUp: readiness.contains(.hangUp))
      }
      self.state.withLock { $0.packets = token }
    }
    return reply.last?.uint16
  }

  private func read(_ number: Int32, hangsUp: Bool) {
    var buffer = [UInt8](repeating: 0, count: 600)
    let count = unsafe recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 || (count == 0 && !hangsUp) {
      note("packet " + buffer[..<count].map { String($0, radix: 16) }.joined(separator: " "))
    } else if hangsUp {
      state.withLock { if let token = $0.packets.take() { loop.cancel(token) } }
      close(number)
      note("end of file")
    }
  }

  private func note(_ message: Message) {
    let body = message.body
    switch message.member {
    case "InterfacesAdded": note("+ \(body[0].objectPath?.text ?? "")")
    case "InterfacesRemoved": note("- \(body[0].objectPath?.text ?? "")")
    case "PropertiesChanged":
      for (name, value) in (body[1].properties ?? [:]).sorted(by: { $0.key < $1.key }) {
        let shown =
          value.boolean.map { "\($0)" } ?? value.bytes.map { $0.map { String($0, radix: 16) }.joined(separator: " ") }
        note("\(message.path?.text ?? "") \(name)=\(shown ?? "…")")
      }
    case "NameOwnerChanged": note("owner " + (body[2].string == "" ? "nobody" : "somebody"))
    default: break
    }
  }

  private func note(_ line: String) {
    let ready = state.withLock { state in
      state.seen.append(line)
      let ready = state.waiting.filter { waiting in
        state.seen.count(where: { $0.contains(waiting.what) }) >= waiting.count
      }
      state.waiting.removeAll { waiting in ready.contains { $0.what == waiting.what && $0.count == waiting.count } }
      return ready
    }
    for waiting in ready { waiting.continuation.resume() }
  }
}
