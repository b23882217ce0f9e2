import RecorderBus
import DBus
import Ingestion

extension Door {
  /// Owns the name while there is a bus.
  func keepBus() async {
    var failures = 0
    while !isClosing {
      do {
        try await stay(on: Connection.open(settings.bus, on: loop))
        failures = 0
      } catch {
        complain("closed to other programs: no message bus (\(error.description))")
      }
      forgetBus()
      guard !isClosing else { return }
      // Recording does not wait for it, so that a machine without the bus is not kept awake.
      try? await loop.sleep(for: .seconds([1, 2, 5, 10, 30][min(failures, 4)]))
      failures += 1
    }
  }

  /// Answers calls until the bus, or the door, ends.
  private func stay(on connection: Connection) async throws(DBusError) {
    guard !isClosing else { return await connection.close() }
    self.connection = connection
    _ = await connection.observeSignals { [weak self] message in
      guard let name = message.ownerlessName else { return }
      self?.assumeIsolated { $0.ownerless(name, on: connection) }
    }
    await connection.export(.root, subtree: true) { [weak self] call in
      guard let self else { return .unknownMethod }
      self.assumeIsolated { $0.receive(call) }
      return .later
    }
    try await connection.addMatch(.owner(of: ClientInterfaces.busName))
    try await takeName(on: connection)
    guard await connection.isConnected, !isClosing else { return }
    await withCheckedContinuation { continuation in
      busEnd = continuation
      connection.assumeIsolated {
        $0.onDisconnect { [weak self] _ in
          self?.assumeIsolated { door in
            door.busEnd?.resume()
            door.busEnd = nil
          }
        }
      }
    }
  }

  /// Nobody owns a name any more: a client has gone, or our name is free.
  private func ownerless(_ name: String, on connection: Connection) {
    guard name == ClientInterfaces.busName else { return gone(name) }
    guard !isClosing, connection === self.connection else { return }
    Task(executorPreference: loop) { try? await self.takeName(on: connection) }
  }

  /// Asks for the name. If another program owns it, the door asks again when that program has released it.
  private func takeName(on connection: Connection) async throws(DBusError) {
    do throws(DBusError) {
      guard try await connection.requestName(ClientInterfaces.busName) else {
        return complain("closed to other programs: another program owns \(ClientInterfaces.busName) on this bus")
      }
      lastProblem = ""
      denials = 0
      settings.log(.info, "open to other programs as \(ClientInterfaces.busName)")
    } catch {
      guard error.isAccessDenied else { throw error }
      denials += 1
      if denials >= Self.certainDenials {
        complain(
          "closed to other programs: the bus does not let this user own \(ClientInterfaces.busName); "
            + "install sensord's D-Bus policy")
      }
      askAgain(on: connection)
    }
  }

  /// Asks for the name later where the bus does not let this user own it: a package that brings the policy starts the
  /// recorder before the bus has read it, and the bus does not report when it has.
  private func askAgain(on connection: Connection) {
    _ = loop.schedule(after: .seconds([1, 2, 5, 10, 30, 300][min(denials, 6) - 1])) { [weak self] in
      self?.assumeIsolated { door in
        guard !door.isClosing, connection === door.connection else { return }
        Task(executorPreference: door.loop) { try? await door.takeName(on: connection) }
      }
    }
  }

  /// From this denial on, 3 s after the first, it is no policy that the bus is just about to read.
  private static let certainDenials = 3

  /// Every client has gone with the bus.
  private func forgetBus() {
    connection = nil
    for name in registry.names { perform(registry.gone(name)) }
    arrivals.removeAll()
    requests = [:]
    statusWaiters = []
    for (_, timer) in waiting.values { loop.cancel(timer) }
    waiting = [:]
    settle()
  }

  /// Logs once why the door stays shut; recording goes on.
  private func complain(_ problem: String) {
    guard problem != lastProblem else { return }
    lastProblem = problem
    settings.log(.warning, problem)
  }

  func send(_ message: Message) {
    guard let connection else { return }
    // A message that cannot be sent is not reported: the connection is lost, and its end follows.
    _ = try? connection.assumeIsolated { try $0.send(message) }
  }

  func respond(to call: Message, _ reply: Reply) {
    connection?.assumeIsolated { $0.respond(to: call, reply) }
  }
}
