/// What the file system shows of the systemd service.
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
