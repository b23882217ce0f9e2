internal import Documents
internal import Logging

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
