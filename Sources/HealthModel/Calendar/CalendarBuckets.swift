/// Buckets by the calendar of a time zone, from an anchor in both directions.
///
/// Days, weeks, months and years go by the region's clocks. Bucket `k` begins at the anchor's time of day, `k` intervals
/// after the anchor's day (on the last day of the month if it has no such day). Hours and minutes are durations, since a
/// region's clocks show some of them twice or never.
public struct CalendarBuckets: Hashable, Sendable {
  /// The length of a bucket.
  public let interval: CalendarInterval
  /// The beginning of bucket 0.
  public let anchor: Timestamp
  /// The time zone of the buckets.
  public let zone: TimeZoneRules
  private let anchorDay: CalendarDay
  /// Microseconds after midnight by the region's clocks.
  private let anchorTime: Int64

  private static let day: Int64 = 86_400_000_000
  /// The most buckets of one answer: a little more than a year has minutes.
  public static let limit = 600_000

  /// Buckets of `interval` from `anchor` in both directions, in the time zone `zone`.
  public init(every interval: CalendarInterval, from anchor: Timestamp, in zone: TimeZoneRules) {
    let anchor = Self.clamped(anchor)
    let wall = zone.wallClock(at: anchor)
    let day = wall.flooredQuotient(by: Self.day)
    self.init(
      every: interval, from: anchor, day: CalendarDay(daysSince1970: day), time: wall - day * Self.day, in: zone)
  }

  private init(
    every interval: CalendarInterval, from anchor: Timestamp, day: CalendarDay, time: Int64, in zone: TimeZoneRules
  ) {
    self.interval = interval
    self.anchor = anchor
    self.zone = zone
    anchorDay = day
    anchorTime = time
  }

  /// Buckets that begin at the beginning of an hour, a day, a Monday, a month or a year.
  ///
  /// The anchor is the last such beginning at or before `moment`. Intervals of several units count from it; those of
  /// minutes and hours count from the midnight before.
  public init(every interval: CalendarInterval, containing moment: Timestamp, in zone: TimeZoneRules) {
    let wall = zone.wallClock(at: Self.clamped(moment))
    let day = wall.flooredQuotient(by: Self.day)
    let date = CalendarDay(daysSince1970: day)
    let first: Int64 =
      switch interval.unit {
      case .minute, .hour, .day: day
      // 1970-01-01 was a Thursday; ISO 8601's weeks begin on Monday.
      case .week: day - ((day + 3) % 7 + 7) % 7
      case .month: day - Int64(date.day) + 1
      case .year: CalendarDay(year: date.year, month: 1, day: 1)?.daysSince1970 ?? day
      }
    // Not the clock's time at that moment: where midnight is skipped it would be one o'clock, at which no other day begins.
    self.init(
      every: interval, from: zone.moment(ofWallClock: first * Self.day), day: CalendarDay(daysSince1970: first),
      time: 0, in: zone)
  }

  /// Calendars are defined for the years 1 to 9999; other moments are clamped.
  private static func clamped(_ moment: Timestamp) -> Timestamp {
    min(max(moment, Timestamp.calendarRange.lowerBound), Timestamp.calendarRange.upperBound)
  }

  /// The beginning of bucket `index`; bucket 0 begins at the anchor. Saturates at the range of timestamps.
  public func start(of index: Int64) -> Timestamp {
    let steps = index.multipliedSaturated(by: Int64(interval.count))
    switch interval.unit {
    case .minute: return anchor.advanced(byMicroseconds: steps.multipliedSaturated(by: 60_000_000))
    case .hour: return anchor.advanced(byMicroseconds: steps.multipliedSaturated(by: 3_600_000_000))
    case .day: return moment(ofDay: anchorDay.daysSince1970.addingSaturated(steps))
    case .week: return moment(ofDay: anchorDay.daysSince1970.addingSaturated(steps.multipliedSaturated(by: 7)))
    case .month: return moment(ofDay: day(monthsLater: steps))
    case .year: return moment(ofDay: day(monthsLater: steps.multipliedSaturated(by: 12)))
    }
  }

  private func moment(ofDay day: Int64) -> Timestamp {
    zone.moment(ofWallClock: day.multipliedSaturated(by: Self.day).addingSaturated(anchorTime))
  }

  private func day(monthsLater months: Int64) -> Int64 {
    let all = (anchorDay.year * 12 + Int64(anchorDay.month - 1)).addingSaturated(months)
    let year = all.flooredQuotient(by: 12)
    let remainder = Int(all % 12)
    let month = (remainder < 0 ? remainder + 12 : remainder) + 1
    let day = min(anchorDay.day, CalendarDay.days(inMonth: month, of: year))
    // A day outside of the calendar's range is outside of the range of timestamps, too.
    return CalendarDay(year: year, month: month, day: day)?.daysSince1970 ?? (months < 0 ? .min : .max)
  }

  /// The index of the bucket that holds `moment`, or the nearest moment of the years 1 to 9999.
  public func index(of moment: Timestamp) -> Int64 {
    let length: Int64 =
      switch interval.unit {
      case .minute: 60_000_000
      case .hour: 3_600_000_000
      case .day: Self.day
      case .week: Self.day * 7
      case .month: 2_629_746_000_000
      case .year: 31_556_952_000_000
      }
    // The estimate is at most some months off; the rest is searched step by step.
    let moment = Self.clamped(moment)
    var index = moment.microseconds(since: anchor).flooredQuotient(
      by: length.multipliedSaturated(by: Int64(interval.count)))
    while start(of: index) > moment { index -= 1 }
    while start(of: index + 1) <= moment { index += 1 }
    return index
  }

  /// The borders of all buckets that overlap `from` ..< `to`: one more than there are buckets.
  ///
  /// A day that the region's clocks skipped has no bucket.
  public func edges(from: Timestamp, to: Timestamp) throws(StatisticsError) -> [Int64] {
    let span = Timestamp.calendarRange
    guard from < to, span.contains(from), to.advanced(byMicroseconds: -1) <= span.upperBound else { throw .emptyRange }
    var index = index(of: from)
    var edges = [start(of: index).microseconds]
    while edges[edges.count - 1] < to.microseconds {
      guard edges.count <= Self.limit else { throw .tooManyBuckets(limit: Self.limit) }
      index += 1
      let next = start(of: index).microseconds
      if next > edges[edges.count - 1] { edges.append(next) }
    }
    return edges
  }
}

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

  /// An interval of `count` units; nil where `count` is not between 1 and 100,000.
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

extension CalendarInterval: Codable {
  /// Decodes the text of an interval, such as `15m`.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the interval as text, such as `15m`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
