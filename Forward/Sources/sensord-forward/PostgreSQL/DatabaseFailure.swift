/// A failure to connect to the server, or a statement that the server rejected.
///
/// The message is one line, with the server's words only where these cannot contain a value: health data belong in no log.
struct DatabaseFailure: Error, Hashable, Sendable {
  /// The SQLSTATE; nil where the server sent no code.
  var state: String?
  /// One line.
  var message: String
  /// Whether the attempt to connect failed.
  var isConnecting = false
  /// Whether the attempt to connect failed for a reason that only a person can remove: a password, a name, a certificate.
  private var isRefused = false

  /// A failure with its message.
  init(state: String?, message: String) {
    self.state = state
    self.message = message
  }

  /// The ways to mend a failure.
  enum Remedy: Hashable, Sendable {
    /// Try the same later.
    case retry
    /// Ask a person: the login, its rights, or the tables are not as they should be.
    case person
  }

  /// A retry where the cause passes by itself, and a person otherwise. A statement without a SQLSTATE counts as a lost connection.
  var remedy: Remedy {
    if isConnecting { return isRefused ? .person : .retry }
    return Self.isPassing(state ?? "08006") ? .retry : .person
  }

  /// Whether a failure of this SQLSTATE's class passes by itself: no connection (08), too few resources, also a full disk (53), the server
  /// ends or cancels (57), an error of its system (58), serialization and deadlock (40), a lock that is not free (55).
  private static func isPassing(_ state: String) -> Bool {
    ["08", "53", "57", "58", "40", "55"].contains(state.prefix(2))
  }

  /// Reads libpq's message about a failed attempt to connect: one line or more for each host that was tried. In a server's line the
  /// SQLSTATE decides, since the words may be in any language. libpq's own words are English, because this program sets no locale.
  init(connecting message: String) {
    var lines: [String] = []
    var isOfServer = false
    isConnecting = true
    for line in message.split(separator: "\n") {
      let isFirst = line.hasPrefix("connection to server")
      // Only the first line of a server's message counts: further lines name a place in the server's source code.
      if isOfServer, !isFirst { continue }
      // Only the text after " failed: " is searched: a path before it may contain any word.
      let what = line.firstRange(of: " failed: ").map { line[$0.upperBound...] } ?? line
      if let (found, words) = Self.stateAndWords(in: what) {
        isOfServer = true
        if !Self.isPassing(found) { isRefused = true }
        if state == nil || !Self.isPassing(found) { state = found }
        lines.append("\(line.dropLast(what.count))\(words) (SQLSTATE \(found))")
      } else {
        isOfServer = false
        if Self.isRefusal(what) { isRefused = true }
        lines.append(String(line))
      }
    }
    self.message = Self.line(lines.joined(separator: "\n"))
  }

  /// The SQLSTATE and the words of a server's `FATAL:  28P01: words`; nil for a line of libpq's own.
  private static func stateAndWords(in text: Substring) -> (state: String, words: Substring)? {
    guard let place = text.firstRange(of: ":  ") else { return nil }
    let rest = text[place.upperBound...]
    let state = rest.prefix(5)
    guard state.utf8.count == 5, state.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
      rest.dropFirst(5).hasPrefix(": ")
    else { return nil }
    return (String(state), rest.dropFirst(7))
  }

  /// Whether libpq itself rejects the server, or lacks a password. A server that goes away before TLS has begun is no refusal.
  private static func isRefusal(_ words: Substring) -> Bool {
    guard !words.contains("unexpected eof"), !words.hasPrefix("could not translate host name") else { return false }
    return [
      "certificate", "SSL error", "support SSL", "response to SSL", "no password", "authentication method",
      "authentication requires",
    ].contains { words.contains($0) }
  }

  /// A statement that the server rejected, with the primary message of its error.
  init(state: String?, primary: String) {
    self.state = state
    // Data exceptions and violated constraints name values.
    let namesValues = state.map { ["22", "23"].contains($0.prefix(2)) } ?? false
    message = namesValues ? "a value was refused" : Self.line(primary)
    if let state { message += " (SQLSTATE \(state))" }
  }

  /// All lines of a text as one of at most 300 characters, without control characters.
  static func line(_ text: String) -> String {
    let whole = text.split(separator: "\n").joined(separator: "; ")
    return String(
      String.UnicodeScalarView(whole.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }).prefix(300))
  }
}
