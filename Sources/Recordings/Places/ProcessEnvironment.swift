import Glibc

/// The environment variables of this process; the only place that reads them.
package struct ProcessEnvironment: Sendable {
  private let values: [String: String]

  /// An environment made up by a test.
  package init(_ values: [String: String]) {
    self.values = values
  }

  /// The environment that the process was started with.
  package static var current: ProcessEnvironment {
    var values: [String: String] = [:]
    for name in names {
      guard let value = unsafe getenv(name) else { continue }
      unsafe values[name] = String(cString: value)
    }
    return ProcessEnvironment(values)
  }

  /// The value of a variable that is set and not empty.
  package subscript(name: String) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value of a variable for which empty is not the same as not set.
  package func text(of name: String) -> String? { values[name] }

  /// `XDG_STATE_HOME`, else `~/.local/state`. A relative path is ignored, as the XDG specification demands; in `HOME` too.
  package var stateHome: String? { xdg("XDG_STATE_HOME", otherwise: ".local/state") }

  /// `XDG_CONFIG_HOME`, else `~/.config`.
  package var configurationHome: String? { xdg("XDG_CONFIG_HOME", otherwise: ".config") }

  /// `XDG_RUNTIME_DIR`, which has no default.
  package var runtimeHome: String? { self["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

  /// Whether text is in UTF-8, as POSIX finds the locale: `LC_ALL`, else `LC_CTYPE`, else `LANG`.
  package var isUTF8: Bool {
    let locale = self["LC_ALL"] ?? self["LC_CTYPE"] ?? self["LANG"] ?? ""
    let charset = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
    return ["utf-8", "utf8"].contains(charset.lowercased())
  }

  private func xdg(_ name: String, otherwise folder: String) -> String? {
    if let path = self[name], path.hasPrefix("/") { return path }
    guard let home = self["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/\(folder)"
  }

  private static let names = [
    "CONFIGURATION_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "JOURNAL_STREAM", "LANG", "LC_ALL",
    "LC_CTYPE", "NOTIFY_SOCKET", "NO_COLOR", "PATH", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "TERM", "TMPDIR", "TZ",
    "TZDIR", "WATCHDOG_PID", "WATCHDOG_USEC",
    "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
  ]
}

/// The systemd service, as far as the file system shows it.
package enum ServiceUnit {
  private static let paths = [
    "/etc/systemd/system/sensord.service", "/usr/local/lib/systemd/system/sensord.service",
    "/usr/lib/systemd/system/sensord.service", "/lib/systemd/system/sensord.service",
  ]

  /// Whether the unit is where systemd finds it.
  package static func isInstalled(_ files: FileLookup = .system) -> Bool {
    paths.contains { files.presence($0) == .present }
  }

  /// Whether systemd runs on this machine (sd_booted(3)).
  package static func isSystemdRunning(_ files: FileLookup = .system) -> Bool {
    files.presence("/run/systemd/system") == .present
  }
}
