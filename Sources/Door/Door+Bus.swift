import Clients
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
      guard let name = message.goneName else { return }
      self?.assumeIsolated { $0.gone(name) }
    }
    for (path, object) in DoorInterfaces.objects {
      await connection.export(path) { [weak self] call in
        guard let self else { return .unknownMethod }
        self.assumeIsolated { $0.receive(call, of: object) }
        return .later
      }
    }
    do throws(DBusError) {
      if try await connection.requestName(DoorInterfaces.busName) {
        lastProblem = ""
        settings.log(.info, "open to other programs as \(DoorInterfaces.busName)")
      } else {
        complain("closed to other programs: another program owns \(DoorInterfaces.busName) on this bus")
      }
    } catch {
      guard error.isAccessDenied else { throw error }
      complain(
        "closed to other programs: the bus does not let this user own \(DoorInterfaces.busName); "
          + "install sensord's D-Bus policy, then restart sensord")
    }
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

  /// Every client has gone with the bus.
  private func forgetBus() {
    connection = nil
    for name in registry.names { registry.gone(name) }
    arrivals = []
    requests = [:]
    settle()
  }

  /// Says once what keeps the door shut; recording goes on.
  private func complain(_ problem: String) {
    guard problem != lastProblem else { return }
    lastProblem = problem
    settings.log(.warning, problem)
  }

  func send(_ message: Message) {
    guard let connection else { return }
    // What cannot be sent has nobody to be told: the connection is lost, and its end follows.
    _ = try? connection.assumeIsolated { try $0.send(message) }
  }

  func respond(to call: Message, _ reply: Reply) {
    guard !call.noReply else { return }
    switch reply {
    case .values(let values): send(call.reply(values))
    case .error(let name, let message): send(call.errorReply(name, message))
    case .unknownMethod: send(call.errorReply("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method"))
    case .later: break
    }
  }
}
