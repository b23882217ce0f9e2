// From glibc 2.41 on `winsize` comes with epoll, too.
import CLinux
import Documents
import Glibc
import Recordings
import SeriesStore
import StoreCommands

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

/// Where answers come from.
enum StandardInput {
  /// True where a person types.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}

/// One line on a terminal that says how far long work is; nothing where nobody looks.
enum Progress {
  /// Shows `text` in place of what was there.
  static func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K\(PrintableText.line(text, columns: StandardError.columns - 1))")
  }

  /// Leaves the line empty.
  static func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K")
  }
}

/// The size of the terminal behind a descriptor.
struct TerminalSize {
  var rows: Int
  var columns: Int

  /// A terminal that does not say how large it is.
  private static let usual = TerminalSize(rows: 24, columns: 80)

  private init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// Nil where `descriptor` is no terminal.
  init?(of descriptor: CInt) {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    self = isKnown ? TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col)) : Self.usual
  }
}
