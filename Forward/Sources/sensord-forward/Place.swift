internal import ArgumentParser
internal import Centre
internal import Glibc
internal import SeriesStore

/// The configuration and what it names.
struct Place: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration.", valueName: "path"))
  var config = "/etc/sensord/forward.conf"

  /// The settings, and the password where there is one.
  func load() throws -> (settings: Settings, password: String?) {
    // What libpq would take from the environment decides nothing here.
    for name in ["PGSERVICE", "PGSERVICEFILE", "PGOPTIONS", "PGSSLCERT", "PGSSLKEY", "PGREQUIREAUTH", "PGHOSTADDR"] {
      unsafe unsetenv(name)
    }
    guard let text = Self.read(config) else {
      throw ForwardFailure(
        .configuration,
        "\(config) cannot be read: \(Self.reason); begin with the example in /usr/share/doc/sensord-health-forward/forward.conf.example"
      )
    }
    let settings: Settings
    do { settings = try Settings(text) } catch { throw ForwardFailure(.configuration, "\(config): \(error.message)") }
    return (settings, try password(settings))
  }

  private func password(_ settings: Settings) throws -> String? {
    let credential = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) + "/password" }
    let found = credential.flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil }
    guard let path = settings.passwordFile ?? found else { return nil }
    var status = stat()
    guard unsafe stat(path, &status) == 0, let text = Self.read(path) else {
      throw ForwardFailure(.configuration, "the password's file \(path) cannot be read: \(Self.reason)")
    }
    guard status.st_mode & 0o007 == 0 else {
      throw ForwardFailure(.configuration, "everybody may read the password's file \(path); chmod o-rwx \(path)")
    }
    return String(text.prefix { $0 != "\n" })
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }

  private static func read(_ path: String) -> String? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return unsafe ferror(file) == 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  static func open(_ settings: Settings, observing: Bool = false) throws -> HealthStore {
    do throws(StoreError) {
      return try HealthStore.open(settings.store, for: .reading, observing: observing)
    } catch { throw ForwardFailure(error) }
  }
}
