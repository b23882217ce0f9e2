import DBus
import Synchronization

/// systemd's service for the clock on a private bus, as far as the recorder asks it.
final class TimeService: Sendable {
  private let connection: Connection
  private let isSynchronised = Mutex(false)
  private let count = Mutex(0)

  /// How often it was asked.
  var questions: Int { count.withLock { $0 } }

  init(on bus: String, loop: EventLoop) async throws {
    connection = try await Connection.open(.address(bus), on: loop)
    await connection.export("/org/freedesktop/timedate1") { [weak self] call in
      guard let self, call.interface == "org.freedesktop.DBus.Properties", call.member == "Get",
        call.body == [.string("org.freedesktop.timedate1"), .string("NTPSynchronized")]
      else { return .unknownMethod }
      count.withLock { $0 += 1 }
      return .values([.variant(.boolean(isSynchronised.withLock { $0 }))])
    }
    _ = try await connection.requestName("org.freedesktop.timedate1")
  }

  /// The clock is synchronised from now on, or is not.
  func synchronise(_ isSynchronised: Bool = true) { self.isSynchronised.withLock { $0 = isSynchronised } }

  func end() async { await connection.close() }
}
