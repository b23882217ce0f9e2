/// Buckets that are laid by the calendar of a time zone, from an anchor in both directions.
///
/// Days, weeks, months and years go by the clocks of the region: bucket `k` begins when they show the anchor's time
/// of day on the day that `k` intervals after the anchor's day lead to (the last of the month where it has no such day).
/// Hours and minutes are lengths of time, as on a stopwatch, since a region's clocks show some of them twice or never.
public struct CalendarBuckets: Hashable, Sendable {
  /// The length of a bucket.
  public let interval: CalendarInterval
  /// Where bucket 0 begins.
  public let anchor: Timestamp
  /// By whose clocks the buckets are laid.
  public let zone: TimeZoneRules
  private let anchorDay: CalendarDay
  /// Microseconds after midnight by the region's clocks.
  private let anchorTime: Int64

  private static let day: Int64 = 86_400_000_000
  /// The most buckets that one answer has: a year of minutes, and a bit.
  public static let limit = 600_000

  /// The years 1 to 9999: beyond them a calendar says nothing, and its arithmetic would overflow.
  package static let span =
    Timestamp(
      microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_800_000_000)

  /// Lays buckets of `interval` from `anchor` in both directions, by the clocks of `zone`; from the nearest moment of the
  /// years 1 to 9999 where the anchor lies beyond them.
  public init(every interval: CalendarInterval, from anchor: Timestamp, in zone: TimeZoneRules) {
    let anchor = Self.clamped(anchor)
    let wall = zone.wallClock(at: anchor)
    let day = Self.floorDivision(wall, Self.day)
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

  /// Buckets that begin where a person expects: at the beginning of an hour, a day, a Monday, a month, a year.
  ///
  /// The anchor is the last such beginning at or before `moment`; intervals of several units count from it, those of
  /// minutes and hours from the midnight before.
  public init(every interval: CalendarInterval, containing moment: Timestamp, in zone: TimeZoneRules) {
    let wall = zone.wallClock(at: Self.clamped(moment))
    let day = Self.floorDivision(wall, Self.day)
    let date = CalendarDay(daysSince1970: day)
    let first: Int64 =
      switch interval.unit {
      case .minute, .hour, .day: day
      // 1970-01-01 was a Thursday; ISO 8601's weeks begin on Monday.
      case .week: day - ((day + 3) % 7 + 7) % 7
      case .month: day - Int64(date.day) + 1
      case .year: CalendarDay(year: date.year, month: 1, day: 1)?.daysSince1970 ?? day
      }
    // Not by the clock at that moment: where midnight was skipped it shows one o'clock, which no other day begins at.
    self.init(
      every: interval, from: zone.moment(ofWallClock: first * Self.day), day: CalendarDay(daysSince1970: first),
      time: 0, in: zone)
  }

  private static func clamped(_ moment: Timestamp) -> Timestamp {
    max(span.lowerBound, min(moment, span.upperBound))
  }

  private static func floorDivision(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let quotient = dividend / divisor
    return dividend % divisor < 0 ? quotient - 1 : quotient
  }

  /// When bucket `index` begins; bucket 0 begins at the anchor.
  public func start(of index: Int64) -> Timestamp {
    let steps = index * Int64(interval.count)
    switch interval.unit {
    case .minute: return anchor.advanced(byMicroseconds: steps * 60_000_000)
    case .hour: return anchor.advanced(byMicroseconds: steps * 3_600_000_000)
    case .day: return moment(ofDay: anchorDay.daysSince1970 + steps)
    case .week: return moment(ofDay: anchorDay.daysSince1970 + steps * 7)
    case .month: return moment(ofDay: day(monthsLater: steps))
    case .year: return moment(ofDay: day(monthsLater: steps * 12))
    }
  }

  private func moment(ofDay day: Int64) -> Timestamp {
    zone.moment(ofWallClock: day * Self.day + anchorTime)
  }

  private func day(monthsLater months: Int64) -> Int64 {
    let all = anchorDay.year * 12 + Int64(anchorDay.month - 1) + months
    let year = Self.floorDivision(all, 12)
    let month = Int(all - year * 12) + 1
    let day = min(anchorDay.day, CalendarDay.days(inMonth: month, of: year))
    return CalendarDay(year: year, month: month, day: day)?.daysSince1970 ?? 0
  }

  /// The index of the bucket that holds `moment`; of the years 1 to 9999 the nearest where it lies beyond them.
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
    let moment = Self.clamped(moment)
    // Right to within a few months at most: then step by step.
    var index = Self.floorDivision(moment.microseconds(since: anchor), length * Int64(interval.count))
    while start(of: index) > moment { index -= 1 }
    while start(of: index + 1) <= moment { index += 1 }
    return index
  }

  /// The borders of all buckets that hold moments from `from` to before `to`: one more than there are buckets.
  ///
  /// A day that the region's clocks skipped has no bucket.
  public func edges(from: Timestamp, to: Timestamp) throws(StatisticsError) -> [Int64] {
    guard from < to, Self.span.contains(from), Self.span.contains(to) else { throw .emptyRange }
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
