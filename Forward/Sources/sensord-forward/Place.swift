internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import Glibc
internal import SeriesStore

/// The configuration and what it names.
struct Place: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration.", valueName: "path"))
  var config = "/etc/sensord/forward.conf"

  /// The settings, and the password where there is one.
  func load() throws -> (settings: Settings, password: String?) {
    // Variables of the environment that libpq would read decide nothing here.
    for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("PG") { unsafe unsetenv(name) }
    let text: String
    do throws(Unread) { text = try Self.read(config) } catch {
      throw ForwardFailure(
        .configuration,
        "\(config) cannot be read: \(error.reason); begin with the example in /usr/share/doc/sensord-health-forward/forward.conf.example"
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
    let text: String
    do throws(Unread) { text = try Self.read(path, &status) } catch {
      throw ForwardFailure(
        .configuration,
        "the password's file \(path) cannot be read: \(error.reason); make it, or change password-file in [centre]")
    }
    guard status.st_mode & 0o007 == 0 else {
      throw ForwardFailure(.configuration, "everybody may read the password's file \(path); chmod o-rwx \(path)")
    }
    // A line that Windows ended, too: there both characters are one newline.
    let password = String(text.prefix { !$0.isNewline })
    guard !password.isEmpty else {
      throw ForwardFailure(
        .configuration, "the password's file \(path) has no password in its first line; write it there")
    }
    return password
  }

  /// Why a file could not be read.
  private struct Unread: Error { var reason: String }

  /// A hundred times what a household's configuration has; half of one would forward to wrong persons.
  private static let longest = 1 << 20

  /// The whole text of a file, with its status.
  private static func read(_ path: String, _ status: inout stat) throws(Unread) -> String {
    // Without waiting for whoever would write to a pipe.
    let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Unread(reason: reason) }
    defer { close(file) }
    guard unsafe fstat(file, &status) == 0 else { throw Unread(reason: reason) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Unread(reason: "it is no regular file") }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(file, &piece, piece.count)
      guard count >= 0 || errno == EINTR else { throw Unread(reason: reason) }
      if count == 0 { break }
      text += piece.prefix(max(0, count))
      guard text.count <= longest else { throw Unread(reason: "it is larger than 1 MiB") }
    }
    guard let whole = String(validating: text, as: UTF8.self) else { throw Unread(reason: "it is no text in UTF-8") }
    return whole
  }

  private static func read(_ path: String) throws(Unread) -> String {
    var status = stat()
    return try read(path, &status)
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }

  static func open(_ settings: Settings, observing: Bool = false) throws -> HealthStore {
    do throws(StoreError) {
      return try HealthStore.open(settings.store, for: .reading, observing: observing)
    } catch { throw ForwardFailure(error) }
  }
}
