/// A line for the log, as a value that decides has it written. Never with health data in it.
struct LogLine: Hashable, Sendable {
  let level: RecorderSettings.LogLevel
  let text: String

  init(_ level: RecorderSettings.LogLevel, _ text: String) {
    self.level = level
    self.text = text
  }
}
