/// Why a server did not do something.
///
/// The message is one line. It has what the server says only where that cannot be a value: health data belong in no log.
public struct DatabaseFailure: Error, Hashable, Sendable {
  /// The SQLSTATE; nil where there is no connection, or none any more.
  public var state: String?
  /// One line.
  public var message: String

  /// A failure with its message.
  public init(state: String?, message: String) {
    self.state = state
    self.message = message
  }

  /// What can be done about it.
  public enum Remedy: Hashable, Sendable {
    /// The same again, later.
    case retry
    /// A person: the login, its rights, or the tables are not as they should be.
    case person
  }

  /// What can be done about it.
  public var remedy: Remedy {
    guard let state else { return isRefusal ? .person : .retry }
    switch state.prefix(2) {
    // No connection; too few resources (also a full disk); the server goes or cancels; serialization and deadlock.
    case "08", "53", "57", "58", "40", "55": return .retry
    default: return .person
    }
  }

  /// Whether a connection was refused for what the client is, or the server: password, name, certificate.
  private var isRefusal: Bool {
    ["authentication", "password", "certificate", "SSL", "does not exist", "pg_hba"].contains { message.contains($0) }
  }

  /// Made of what the server says.
  init(state: String?, primary: String) {
    self.state = state
    // Data exceptions and violated constraints name values.
    let namesValues = state.map { ["22", "23"].contains($0.prefix(2)) } ?? false
    message = namesValues ? "a value was refused" : Self.line(primary)
    if let state { message += " (SQLSTATE \(state))" }
  }

  /// The first line without control characters, not too long.
  static func line(_ text: String) -> String {
    let lines = text.split(separator: "\n").map(String.init)
    let whole = lines.joined(separator: "; ")
    return String(
      String.UnicodeScalarView(whole.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }).prefix(300))
  }
}
