import CConfinement
import RecorderBus
import DBus
import Door
import Ingestion
import Reports
import SeriesStore

/// The systemd service, where it is installed.
enum ServiceCheckup {
  /// The finding about the unit, as systemd reports it.
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

  /// The meaning of systemd's states of a unit for a person (org.freedesktop.systemd1(5), "Properties").
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

/// Whether other programs can ask the recorder. Never a failure, since recording does not depend on it.
enum DoorCheckup {
  static func finding(isRecording: Bool, on loop: EventLoop) async -> Finding {
    guard isRecording else { return Finding(title: "clients", result: .skipped("no recorder is running")) }
    guard (try? await RunningRecorder.find(on: loop)) != nil else {
      return Finding(title: "clients", result: .skipped(closed))
    }
    return Finding(title: "clients", result: .passed("other programs can ask for \(ClientInterfaces.busName)"))
  }

  private static let closed =
    "closed to other programs; the recorder's log says why ([clients] bus in its configuration)"
}

/// Whether the clock can be believed, and what was recorded while it could not. Never a failure, since recording does not depend
/// on it.
enum ClockCheckup {
  static func finding(bus: BusAddress, _ location: StoreLocation, on loop: EventLoop) async -> Finding {
    var belief = ClockBelief.notKnown
    if let connection = try? await Connection.open(bus, on: loop, timeout: .seconds(5)) {
      belief = await ClockService.belief(on: connection)
      await connection.close()
    }
    var doubtful = 0
    if FileAccess.exists(location.path),
      let store = try? HealthStore.open(location.path, for: .reading, limit: .inAll)
    {
      doubtful = (try? await store.doubtfulCount()) ?? 0
      await store.close()
    }
    return finding(belief, doubtful: doubtful)
  }

  static func finding(_ belief: ClockBelief, doubtful: Int) -> Finding {
    let text =
      switch belief {
      case .synchronised, .byHand: "synchronised"
      case .notSynchronised: "not synchronised: 'timedatectl' says more"
      case .notKnown: "nobody says whether it is synchronised (no org.freedesktop.timedate1, as in a container)"
      }
    let words = [text, StatusReport.doubtful(doubtful)].compactMap { $0 }.joined(separator: "; ")
    let isWell = belief == .synchronised && doubtful == 0
    return Finding(title: "clock", result: isWell ? .passed(words) : .skipped(words))
  }
}

/// The confinement of the program that reads foreign files (SECURITY.md). Never a failure, since recording does not depend on it.
enum ImportCheckup {
  static func finding() -> Finding {
    let version = cconfinement_landlock()
    guard version > 0 else { return Finding(title: "imports", result: .skipped(withoutLandlock)) }
    return Finding(title: "imports", result: .passed("confined to what was named (Landlock \(version))"))
  }

  private static let withoutLandlock =
    "only in part: this kernel has no Landlock, so a hostile file could read your others, not change or send them"
}
