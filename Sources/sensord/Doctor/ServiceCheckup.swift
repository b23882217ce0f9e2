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
      let (active, sub) = try await state(on: loop)
      return Finding(title: "service", result: result(active: active, sub: sub))
    } catch {
      return Finding(title: "service", result: .skipped("systemd does not tell: \(error.description)"))
    }
  }

  @concurrent private static func state(on loop: EventLoop) async throws(DBusError) -> (active: String, sub: String) {
    let connection = try await Connection.open(.system, on: loop, timeout: .seconds(5))
    let unit = try await connection.call(
      .call(
        "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager",
        member: "LoadUnit", body: [.string("sensord.service")]), timeout: .seconds(5))
    guard let path = unit.body.first?.objectPath else { return ("unknown", "unknown") }
    var states: [String] = []
    for property in ["ActiveState", "SubState"] {
      let reply = try await connection.call(
        .call(
          "org.freedesktop.systemd1", path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
          body: [.string("org.freedesktop.systemd1.Unit"), .string(property)]), timeout: .seconds(5))
      states.append(reply.body.first?.string ?? "unknown")
    }
    await connection.close()
    return (states[0], states[1])
  }

  /// What systemd's states of a unit mean for a person (org.freedesktop.systemd1(5), "Properties").
  static func result(active: String, sub: String) -> Finding.Result {
    let remedy = "journalctl -u sensord -n 20 tells why"
    return switch (active, sub) {
    case ("activating", "auto-restart"):
      .failed("sensord.service has failed and is being started again", remedy: remedy, status: .unavailable)
    case ("active", _), ("activating", _), ("reloading", _): .passed(active)
    case ("failed", _): .failed("sensord.service has failed", remedy: remedy, status: .unavailable)
    default: .skipped("installed and \(active); sudo systemctl enable --now sensord starts it")
    }
  }
}
