package import DBus
package import SeriesStore

/// systemd's service for the clock, org.freedesktop.timedate1.
package enum ClockService {
  /// Whether the clock is synchronised, as the service says; it is started for that where systemd may, and ends by itself.
  ///
  /// Not the kernel: adjtimex(2) is refused under the unit, since it sets clocks, too.
  ///
  /// - Parameter connection: A connection to the system bus.
  /// - Returns: ``ClockBelief/notKnown`` where nobody answers.
  package static func belief(on connection: Connection) async -> ClockBelief {
    do throws(DBusError) {
      let reply = try await connection.call(
        .call(
          name, path: "/org/freedesktop/timedate1", interface: "org.freedesktop.DBus.Properties", member: "Get",
          body: [.string(name), .string("NTPSynchronized")]), timeout: .seconds(5))
      return switch reply.body.first?.unwrapped.boolean {
      case true?: .synchronised
      case false?: .notSynchronised
      case nil: .notKnown
      }
    } catch {
      return .notKnown
    }
  }

  private static let name = "org.freedesktop.timedate1"
}
