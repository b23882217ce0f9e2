internal import Support

/// Why a server did not do something.
///
/// The message is one line. It has what the server says only where that cannot be a value: health data belong in no log.
struct DatabaseFailure: Error, Hashable, Sendable {
  /// The SQLSTATE; nil where no server gave one.
  var state: String?
  /// One line.
  var message: String
  /// Whether no connection came about.
  var isConnecting = false
  /// Whether an answer is none to what was asked: the server is broken, or no centre.
  var isWrongAnswer = false
  /// Whether a connection was refused for what the client is, or the server: password, name, certificate.
  private var isRefused = false

  /// A failure with its message.
  init(state: String?, message: String) {
    self.state = state
    self.message = message
  }

  /// An answer of another shape than was asked for: `reason` says what is wrong with it.
  init(wrong reason: String) {
    self.init(state: nil, message: "the server's answer is none to what was asked: \(reason)")
    isWrongAnswer = true
  }

  /// Made of libpq's message of an answer that the server did not call an error.
  init(library message: String) {
    let isClosed = ["closed the connection", "could not", "SSL", "no connection", "invalid socket"].contains {
      message.contains($0)
    }
    self = isClosed ? .closed : DatabaseFailure(wrong: Self.line(message))
  }

  /// The end of a connection.
  static let closed = DatabaseFailure(
    state: "08006", message: "the server closed the connection (SQLSTATE 08006)")

  /// The ways to mend a failure.
  enum Remedy: Hashable, Sendable {
    /// The same again, later.
    case retry
    /// A person: the login, its rights, or the tables are not as they should be.
    case person
  }

  /// A retry, unless a connection was refused, or the SQLSTATE is not one that passes by itself.
  var remedy: Remedy {
    if isConnecting { return isRefused ? .person : .retry }
    if isWrongAnswer { return .person }
    return Self.isPassing(state ?? "08006") ? .retry : .person
  }

  /// Whether what has this SQLSTATE passes by itself: no connection; too few resources (also a full disk); the server goes or cancels;
  /// serialization and deadlock.
  private static func isPassing(_ state: String) -> Bool {
    ["08", "53", "57", "58", "40", "55"].contains(state.prefix(2))
  }

  /// Made of libpq's message of a connection that did not come about: a line or more for each host that was tried. In the lines of a
  /// server its SQLSTATE is in front, and decides; its words may be of any language. libpq's own are English, since this program sets
  /// no locale.
  init(connecting message: String) {
    var lines: [String] = []
    var isOfServer = false
    isConnecting = true
    for line in message.split(separator: "\n") {
      let isFirst = line.hasPrefix("connection to server")
      // Of a server's message only the first line: further ones say where in its source that is.
      if isOfServer, !isFirst { continue }
      // Behind this is what happened, before it where: any word may be in a path.
      let what = line.firstRange(of: " failed: ").map { line[$0.upperBound...] } ?? line
      if let (found, words) = Self.stated(what) {
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

  /// `FATAL:  28P01: words` without what is before the words, and the SQLSTATE.
  private static func stated(_ text: Substring) -> (state: String, words: Substring)? {
    guard let place = text.firstRange(of: ":  ") else { return nil }
    let rest = text[place.upperBound...]
    let state = rest.prefix(5)
    guard isState(state), rest.dropFirst(5).hasPrefix(": ") else { return nil }
    return (String(state), rest.dropFirst(7))
  }

  /// Whether a text is a SQLSTATE: five capitals and digits.
  static func isState(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 5 && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
  }

  /// Whether libpq itself refuses the server, or lacks something. One that ends while TLS begins, or before, is no refusal.
  private static func isRefusal(_ words: Substring) -> Bool {
    guard !words.contains("unexpected eof"), !words.hasPrefix("could not translate host name") else { return false }
    return [
      "certificate", "SSL error", "support SSL", "response to SSL", "no password", "authentication method",
      "authentication requires",
    ].contains { words.contains($0) }
  }

  /// Made of what the server reports.
  init(state: String, primary: String) {
    guard Self.isState(state) else {
      self.init(wrong: "it is an error without a SQLSTATE")
      return
    }
    // Data exceptions and violated constraints name values.
    let words = ["22", "23"].contains(state.prefix(2)) ? "a value was refused" : Self.line(primary)
    self.init(state: state, message: "\(words) (SQLSTATE \(state))")
  }

  /// The lines of a text in one, without libpq's tabs in front and what a terminal would act upon, and not too long.
  static func line(_ text: String) -> String {
    let lines = text.prefix(2_000).split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
    return PrintableText.line(lines.joined(separator: "; "), most: 300)
  }
}
