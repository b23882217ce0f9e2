internal import HealthModel
internal import Recordings
internal import StoreCommands

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

  /// What `--from` and `--to` of a list mean, by the machine's own clocks where no zone is named.
  static func predicate(from: String?, to: String?) throws -> SamplePredicate {
    func moment(_ text: String?, _ option: String) throws -> Timestamp? {
      try text.map {
        try self.moment($0, in: ZoneChoice.rules(named: nil, environment: .current), option: option)
      }
    }
    let (from, to) = (try moment(from, "--from"), try moment(to, "--to"))
    if let from, let to, from >= to { throw CommandFailure(.usage, "--from must be before --to") }
    return .time(from: from, to: to)
  }
}
