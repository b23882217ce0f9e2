/// The sleep of a day: a night, and naps.
///
/// A day of sleep ends at 18:00 by the clocks of its zone; a period belongs to the day in which it ends. So the night
/// to Wednesday is Wednesday's, also what of it was before midnight, and so is a nap on Wednesday afternoon.
public struct SleepNight: Hashable, Sendable {
  /// The day to which the night leads.
  public let day: CalendarDay
  /// The night and the naps, in order of time; at least one.
  public let periods: [SleepPeriod]

  /// Microseconds from 18:00 to midnight.
  private static let evening: Int64 = 21_600_000_000
  private static let dayLength: Int64 = 86_400_000_000

  /// What the intervals of any sources, in any order, make up.
  ///
  /// A period that reaches beyond what was asked of a store is cut there; so ask for a day more on both sides.
  ///
  /// - Parameters:
  ///   - intervals: Also such as overlap; see ``SleepPeriod/periods(of:priority:)``.
  ///   - zone: By whose clocks a day begins.
  ///   - priority: The sources that count first.
  /// - Returns: The days with sleep or time in bed, in order.
  public static func nights(
    of intervals: [SleepInterval], in zone: TimeZoneRules, priority: [DataSource] = []
  ) -> [SleepNight] {
    var nights: [SleepNight] = []
    for period in SleepPeriod.periods(of: intervals, priority: priority) {
      let day = CalendarDay(daysSince1970: dayNumber(of: period, in: zone))
      if let last = nights.last, last.day == day {
        nights[nights.count - 1] = SleepNight(day: day, periods: last.periods + [period])
      } else {
        nights.append(SleepNight(day: day, periods: [period]))
      }
    }
    return nights
  }

  private static func dayNumber(of period: SleepPeriod, in zone: TimeZoneRules) -> Int64 {
    zone.wallClock(at: period.span.end).addingSaturated(evening).flooredQuotient(by: dayLength)
  }

  /// The period with the longest sleep, the first of equal ones: the others are naps.
  public var main: SleepPeriod? {
    periods.max { ($0.timeAsleep, $1.span.start) < ($1.timeAsleep, $0.span.start) }
  }

  /// How long these values count together, naps too.
  public func duration(of values: Set<CategoryValue>) -> Duration {
    periods.reduce(.zero) { $0 + $1.duration(of: values) }
  }

  /// Total sleep time, naps too.
  public var timeAsleep: Duration { duration(of: CategoryValue.allAsleepValues) }
}
