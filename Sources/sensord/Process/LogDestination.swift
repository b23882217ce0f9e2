import Documents
import Glibc
import Logging
import Reports
import Support
import Synchronization

/// The reader of stderr, which decides the form of a log line.
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

  /// A logger that writes to this destination.
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

/// Log lines for a person: the time of day, the level where it is worth noticing, the message.
struct TerminalLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  /// Whether the level is coloured: on a terminal, and not where `NO_COLOR` is set (no-color.org).
  let isColoured: Bool

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let time = LocalTime.timeOfDay()
    LogStream.standardError.write(
      Self.line(
        event.level, "\(event.message)", LogMetadata.merged(metadata, event.metadata), at: time, isColoured: isColoured),
      note: { Self.line(.warning, $0, [:], at: time, isColoured: isColoured) })
  }

  /// `14:03:05 warning  message  key=value`.
  static func line(
    _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at time: String, isColoured: Bool
  ) -> String {
    let (name, colour) = appearance(of: level)
    let label = name.isEmpty ? "" : (isColoured ? "\u{1B}[\(colour)m\(name)\u{1B}[0m  " : "\(name)  ")
    return "\(time) \(label)\(PrintableText.line(message))\(LogMetadata.text(metadata))\n"
  }

  private static func appearance(of level: Logger.Level) -> (name: String, colour: Int) {
    switch level {
    case .trace, .debug: ("debug", 2)
    case .info, .notice: ("", 0)
    case .warning: ("warning", 33)
    case .error, .critical: ("error", 31)
    }
  }
}

/// Log lines for journald: `<N>` before each, N being the priority of syslog (`sd-daemon(3)`); journald adds the time.
struct JournalLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    LogStream.standardError.write(
      Self.line(event.level, "\(event.message)", LogMetadata.merged(metadata, event.metadata)),
      note: { Self.line(.warning, $0, [:]) })
  }

  /// `<4>message  key=value`.
  static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
    "<\(priority(of: level))>\(PrintableText.line(message))\(LogMetadata.text(metadata))\n"
  }

  private static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

/// The `key=value` part of a log line.
enum LogMetadata {
  static func merged(_ first: Logger.Metadata, _ second: Logger.Metadata?) -> Logger.Metadata {
    guard let second, !second.isEmpty else { return first }
    return first.merging(second) { $1 }
  }

  /// Two blanks and the pairs by name; empty without metadata.
  static func text(_ metadata: Logger.Metadata) -> String {
    guard !metadata.isEmpty else { return "" }
    let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\(PrintableText.line("\($0.value)"))" }
    return "  " + pairs.joined(separator: " ")
  }
}

/// The stream of log lines, which never waits for its reader.
///
/// Lines are written on the thread that receives values, which must not stop for a terminal stopped with Ctrl-S, or for a pipe
/// with a sleeping reader. A line for which there is no room is left out, and the next one that is written says so.
final class LogStream: Sendable {
  static let standardError = LogStream(descriptor: STDERR_FILENO)

  private let descriptor: CInt
  /// Lines left out since the last that was written.
  private let missed = Mutex(0)

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Writes a line, or leaves it out. `note` makes the line with the number of lines that were left out.
  func write(_ line: String, note: (_ missed: String) -> String) {
    missed.withLock { missed in
      guard hasRoom else { return missed += 1 }
      var text = line
      if missed > 0 {
        text = note("\(missed) log lines were left out, since nobody read them") + line
        missed = 0
      }
      _ = FileAccess.write(Array(text.utf8), to: descriptor)
    }
  }

  /// Whether a line can be written at once. A pipe that is writable has room for 4096 bytes, a terminal for some. Asked each
  /// time, rather than making the descriptor non-blocking: the shell and other programs share it.
  private var hasRoom: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }
}
