/// A length of time in calendar units: a day may have 23 hours, a month 28 days.
public struct CalendarInterval: Hashable, Sendable, CustomStringConvertible {
  /// A calendar unit; the raw values are the suffixes of ``description``.
  @nonexhaustive
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    case minute = "m"
    case hour = "h"
    case day = "d"
    case week = "w"
    case month = "mo"
    case year = "y"
  }

  /// The number of units: 1 to 100,000.
  public let count: Int
  /// The unit.
  public let unit: Unit

  /// Nil where `count` is not between 1 and 100,000.
  public init?(_ count: Int, _ unit: Unit) {
    guard (1...100_000).contains(count) else { return nil }
    self.count = count
    self.unit = unit
  }

  /// Parses `15m`, `1h`, `1d`, `2w`, `1mo`, `1y`.
  public init(parsing text: String) throws(StatisticsError) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard digits.utf8.count <= 6, let count = Int(digits),
      let unit = Unit(rawValue: String(text.dropFirst(digits.count))),
      let interval = CalendarInterval(count, unit)
    else { throw .unknownInterval(text) }
    self = interval
  }

  /// The text that ``init(parsing:)`` accepts: `15m`, `1d`.
  public var description: String { "\(count)\(unit.rawValue)" }
}
