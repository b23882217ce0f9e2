extension Configuration {
  /// The service's file where no other is named.
  static let systemPath = "/etc/sensord/sensord.conf"

  /// Reads the file named on the command line, or else the first that exists: the service's own
  /// (`CONFIGURATION_DIRECTORY`), the person's (`$XDG_CONFIG_HOME/sensord/sensord.conf`), ``systemPath``.
  ///
  /// Without any file the defaults hold. A named file that does not exist ends with 66, a wrong one with 78.
  static func load(named path: String?, environment: ProcessEnvironment) throws -> Configuration {
    if let path { return try read(path) }
    let candidates = [
      environment["CONFIGURATION_DIRECTORY"].map { "\($0)/sensord.conf" },
      environment.configurationHome.map { "\($0)/sensord/sensord.conf" },
      systemPath,
    ]
    guard let path = candidates.compactMap({ $0 }).first(where: FileAccess.exists) else { return Configuration() }
    return try read(path)
  }

  private static func read(_ path: String) throws -> Configuration {
    let bytes = try FileAccess.read(path, limit: 1 << 20)
    do {
      return try Configuration(reading: bytes)
    } catch {
      throw CommandFailure(.configuration, "\(path), line \(error.line): \(error.message)")
    }
  }
}
