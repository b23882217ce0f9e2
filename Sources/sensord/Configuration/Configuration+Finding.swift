internal import Reports

extension Configuration {
  /// The service's file where no other is named.
  static let systemPath = "/etc/sensord/sensord.conf"

  /// Reads the file named on the command line; else for the service that of the folder that its unit names
  /// (`CONFIGURATION_DIRECTORY`), and no other, since the service could write one below its home; else the first that
  /// exists of the person's (`$XDG_CONFIG_HOME/sensord/sensord.conf`) and ``systemPath``.
  ///
  /// Without any file the defaults hold. A named file that does not exist ends with 66, a wrong one with 78.
  static func load(named path: String?, environment: ProcessEnvironment) throws -> Configuration {
    if let path { return try read(path) }
    guard let path = candidates(environment).first(where: FileAccess.exists) else { return Configuration() }
    return try read(path)
  }

  /// The places of the file, the first that exists counts.
  static func candidates(_ environment: ProcessEnvironment) -> [String] {
    environment["CONFIGURATION_DIRECTORY"].map { ["\($0)/sensord.conf"] }
      ?? [environment.configurationHome.map { "\($0)/sensord/sensord.conf" }, systemPath].compactMap { $0 }
  }

  /// The place of the file of the recorder of this store. The service has one place, whoever asks.
  static func candidates(of store: StoreLocation, _ environment: ProcessEnvironment) -> [String] {
    store.path == StoreLocation.servicePath ? [systemPath] : candidates(environment)
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
