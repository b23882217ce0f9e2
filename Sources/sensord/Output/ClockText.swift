/// Sentences about dates of a clock that was not set.
enum ClockText {
  /// The fact of a recording, with what to do about it.
  static func notSet(_ session: String) -> String {
    "not set, so the dates may be wrong: sensord sessions date \(session) --start TIME"
  }

  /// The note below a table with marked rows.
  static let note = "? clock not set: these dates may be wrong; 'sensord sessions date' corrects them\n"
}
