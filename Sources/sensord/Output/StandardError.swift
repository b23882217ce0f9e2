internal import Documents
internal import Recordings
internal import SeriesStore
internal import StoreCommands
internal import Glibc

/// Where everything goes that is not the result: errors, progress, logs.
enum StandardError {
  /// Writes `text` as it is. Nothing can be done where that fails, so nothing is reported.
  static func write(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// How wide the terminal is; 80 where there is none.
  static var columns: Int { TerminalSize(of: STDERR_FILENO)?.columns ?? 80 }

  /// True where a person looks at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

extension [StoreDamage] {
  /// Names each, and ends the command with 65 if there is one: what was printed is all that can be read, or is not as it was
  /// written.
  func report() throws(EarlierReport) {
    for damage in self { StandardError.write("sensord: \(PrintableText.line("\(damage)"))\n") }
    guard isEmpty else { throw EarlierReport(status: .badData) }
  }
}
