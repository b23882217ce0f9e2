internal import Glibc

/// Where everything goes that is not the result: errors, progress, logs.
enum StandardError {
  /// Writes `text` as it is. Nothing can be done where that fails, so nothing is reported.
  static func write(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// True where a person looks at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
