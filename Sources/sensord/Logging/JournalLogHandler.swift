internal import Documents
internal import Logging

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
