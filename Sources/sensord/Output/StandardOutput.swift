internal import Recordings
internal import Glibc
internal import StoreCommands

/// Where results go. Errors and progress go to ``StandardError``, so that a result can be piped on.
enum StandardOutput {
  /// Writes all of `bytes`; a full disk behind a redirection is an error, a reader that went away ends the process
  /// (SIGPIPE), as it does for every other tool.
  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    if let code = FileAccess.write(bytes, to: STDOUT_FILENO) {
      throw CommandFailure(.inputOutput, "cannot write the result: \(FileError.reason(code))")
    }
  }

  /// Writes `text` as it is; what comes from a peripheral must have been through ``PrintableText``.
  static func write(_ text: String) throws(CommandFailure) {
    try write(Array(text.utf8))
  }

  /// True where a person looks at the result.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How many lines the terminal has; 24 where there is none.
  static var rows: Int { TerminalSize(of: STDOUT_FILENO)?.rows ?? 24 }

  /// How wide a result may be: the terminal's width. A file or a program gets all of it, since what is cut there is lost.
  static var columns: Int { TerminalSize(of: STDOUT_FILENO)?.columns ?? .max }
}
