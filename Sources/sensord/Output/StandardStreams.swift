// From glibc 2.41 on `winsize` comes with epoll, too.
import CLinux
import Glibc
import Reports
import SeriesStore
import Support

/// The stream of results. Errors and progress go to ``StandardError``, so that a result can be piped on.
enum StandardOutput {
  /// Writes all of `bytes`; a full disk behind a redirection is an error, a reader that went away ends the process
  /// (SIGPIPE), as it does for every other tool.
  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    if let code = FileAccess.write(bytes, to: STDOUT_FILENO) {
      throw CommandFailure(.inputOutput, "cannot write the result: \(FileError.reason(code))")
    }
  }

  /// Writes `text` unchanged; text of a peripheral must have been made safe by ``PrintableText``.
  static func write(_ text: String) throws(CommandFailure) {
    try write(Array(text.utf8))
  }

  /// True where a person looks at the result.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The number of lines of the terminal; 24 without one.
  static var rows: Int { TerminalSize(of: STDOUT_FILENO)?.rows ?? 24 }

  /// The width of a result: that of the terminal. Nothing is cut for a file or a program, since the cut text would be lost.
  static var columns: Int { TerminalSize(of: STDOUT_FILENO)?.columns ?? .max }
}

/// The stream of everything but results: errors, progress, logs.
enum StandardError {
  /// Writes `text` unchanged. A failure is ignored, since it could be reported nowhere else.
  static func write(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// The width of the terminal; 80 without one.
  static var columns: Int { TerminalSize(of: STDERR_FILENO)?.columns ?? 80 }

  /// True where a person looks at the stream.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

extension Array where Element: CustomStringConvertible {
  /// Reports each damage, and ends the command with 65 if there is one: the printed result is incomplete, or not as it was
  /// written.
  func reportDamages() throws(EarlierReport) {
    for damage in self { StandardError.write("sensord: \(PrintableText.line("\(damage)"))\n") }
    guard isEmpty else { throw EarlierReport(status: .badData) }
  }
}

/// The stream of answers.
enum StandardInput {
  /// True where a person types.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}

/// One line on a terminal with the progress of long work; nothing elsewhere.
enum Progress {
  /// Shows `text` in place of the line before.
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

  /// The size of a terminal that does not report it.
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
