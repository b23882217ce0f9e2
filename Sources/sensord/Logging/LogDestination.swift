internal import Recordings
internal import Glibc
internal import Logging

/// Who reads stderr: it decides how a log line looks.
enum LogDestination: Hashable {
  case terminal(isColoured: Bool)
  case journald

  /// journald where `JOURNAL_STREAM` names the very file that stderr is (a program started by a service with its output
  /// redirected inherits the variable, but not the stream), else a terminal or a file.
  static func current(_ environment: ProcessEnvironment) -> LogDestination {
    var status = stat()
    if unsafe fstat(STDERR_FILENO, &status) == 0, environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)" {
      return .journald
    }
    let isColoured = StandardError.isTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    return .terminal(isColoured: isColoured)
  }

  /// A logger that writes there.
  func logger(level: Configuration.LogLevel) -> Logger {
    let level = Logger.Level(level)
    return switch self {
    case .terminal(let isColoured):
      Logger(label: "sensord") { _ in TerminalLogHandler(logLevel: level, isColoured: isColoured) }
    case .journald: Logger(label: "sensord") { _ in JournalLogHandler(logLevel: level) }
    }
  }
}

extension Logger.Level {
  init(_ level: Configuration.LogLevel) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      }
  }
}
