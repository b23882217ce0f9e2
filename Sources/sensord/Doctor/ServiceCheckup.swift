internal import Recordings
internal import DBus
internal import StoreCommands

/// The systemd service, where it is installed.
enum ServiceCheckup {
  /// What systemd says about the unit.
  static func finding(on loop: EventLoop) async -> Finding {
    guard ServiceUnit.isInstalled() else {
      return Finding(title: "service", result: .skipped("not installed"))
    }
    guard ServiceUnit.isSystemdRunning() else {
      return Finding(title: "service", result: .skipped("installed, but systemd does not run here"))
    }
    do {
      return Finding(title: "service", result: result(try await state(on: loop)))
    } catch {
      return Finding(title: "service", result: .skipped("systemd does not tell: \(error.description)"))
    }
  }

  @concurrent private static func state(on loop: EventLoop) async throws(DBusError) -> String {
    let connection = try await Connection.open(.system, on: loop, timeout: .seconds(5))
    let unit = try await connection.call(
      .call(
        "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager",
        member: "LoadUnit", body: [.string("sensord.service")]), timeout: .seconds(5))
    guard let path = unit.body.first?.objectPath else { return "unknown" }
    let reply = try await connection.call(
      .call(
        "org.freedesktop.systemd1", path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
        body: [.string("org.freedesktop.systemd1.Unit"), .string("ActiveState")]), timeout: .seconds(5))
    await connection.close()
    return reply.body.first?.string ?? "unknown"
  }

  private static func result(_ state: String) -> Finding.Result {
    switch state {
    case "active", "activating", "reloading": .passed(state)
    case "failed":
      .failed("sensord.service has failed", remedy: "journalctl -u sensord -n 20 tells why", status: .unavailable)
    default: .skipped("installed and \(state); sudo systemctl enable --now sensord starts it")
    }
  }
}
