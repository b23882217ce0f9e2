internal import HealthModel

/// Times as a person gives them to a command: `2026-11-21`, `2026-11-21T14:03`, `2026-11-21T14:03:05+01:00`.
enum MomentText {
  /// The moment that `text` means. A date alone is its midnight; what names no zone is read by the clocks of `zone`.
  /// The zone is looked up for such a text only.
  static func moment(
    _ text: String, in zone: @autoclosure () throws -> TimeZoneRules, option: String
  ) throws -> Timestamp {
    let isDate = text.utf8.count == 10
    if !isDate, let moment = Timestamp(iso8601: text) { return moment }
    guard let wall = Timestamp(iso8601: isDate ? text : text + "Z") else {
      throw CommandFailure(
        .usage, "'\(text)' for \(option) is no time",
        remedy: "give 2026-11-21, 2026-11-21T14:03 or 2026-11-21T14:03:05Z")
    }
    return try zone().moment(ofWallClock: wall.microseconds)
  }
}
