import DBus
import TestSupport

/// A private bus with an event loop on a thread of its own; both end with the object.
final class BusFixture: Sendable {
  let bus: PrivateBus
  let loop: EventLoop

  init() throws {
    bus = try PrivateBus()
    loop = try EventLoop.startThread(named: "test loop")
  }

  deinit {
    loop.stop()
  }

  func connect() async throws -> Connection {
    try await Connection.open(.address(bus.address), on: loop)
  }

  /// A connection that answers `/echo` with the body that it gets, and never answers `/silent`.
  func connectEcho() async throws -> Connection {
    let connection = try await connect()
    await connection.export("/echo") { .values($0.body) }
    await connection.export("/silent") { _ in .later }
    return connection
  }
}

extension Connection {
  /// What the echo answers to `body`.
  func echo(_ body: [Value], from service: Connection) async throws -> [Value] {
    try await call(.call(service.uniqueName, path: "/echo", interface: "test.Echo", member: "Echo", body: body)).body
  }

  func echoCall(_ body: [Value]) -> Message {
    .call(uniqueName, path: "/echo", interface: "test.Echo", member: "Echo", body: body)
  }

  func silentCall() -> Message {
    .call(uniqueName, path: "/silent", interface: "test.Echo", member: "Wait")
  }
}

/// The code of the error that `body` throws; nil where it throws none.
func errorCode<Result>(_ body: () async throws -> Result) async -> DBusError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? DBusError)?.code
  }
}
