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

  /// The nights and naps that the intervals of any sources, in any order, make up, by day.
  ///
  /// A period that reaches beyond the time of a query is cut there; so query a day more on both sides.
  ///
  /// - Parameters:
  ///   - intervals: The intervals, which may overlap; see ``SleepPeriod/periods(of:priority:)``.
  ///   - zone: The time zone by whose clocks a day begins.
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

  /// The time in which one of these values counts, naps included.
  public func duration(of values: Set<CategoryValue>) -> Duration {
    periods.reduce(.zero) { $0 + $1.duration(of: values) }
  }

  /// Total sleep time, naps included.
  public var timeAsleep: Duration { duration(of: CategoryValue.allAsleepValues) }
}

/// A time in bed with the sleep in it, a night or a nap, over all sources.
///
/// The figures are those of sleep medicine: total sleep time, sleep latency, wake after sleep onset and sleep efficiency as in the AASM
/// Manual for the Scoring of Sleep, "Parameters to be reported", with the times that the sources report in place of lights out
/// and lights on.
public struct SleepPeriod: Hashable, Sendable {
  /// A stretch of one value, by the source that counts there.
  public struct Stretch: Hashable, Sendable {
    /// A value of ``CategoryType/sleepAnalysis``.
    public var value: CategoryValue
    /// The time of the stretch.
    public var span: TimeSpan
    /// The source of the value.
    public var source: DataSource

    /// A stretch with the given parts.
    public init(_ value: CategoryValue, over span: TimeSpan, source: DataSource) {
      self.value = value
      self.span = span
      self.source = source
    }

    var isAsleep: Bool { CategoryValue.allAsleepValues.contains(value) }
  }

  /// The time from the first stretch to the last.
  public let span: TimeSpan
  /// The stretches in order, without overlap. Of a time between two of them nothing is known.
  public let stretches: [Stretch]

  /// Nil without stretches; they are in order and do not overlap.
  init?(_ stretches: [Stretch]) {
    guard let first = stretches.first, let last = stretches.last,
      let span = TimeSpan(start: first.span.start, end: last.span.end)
    else { return nil }
    self.span = span
    self.stretches = stretches
  }

  /// The time in which one of these values counts.
  public func duration(of values: Set<CategoryValue>) -> Duration {
    .microseconds(stretches.reduce(0) { values.contains($1.value) ? $0 + $1.span.microseconds : $0 })
  }

  /// The time in bed, asleep or not.
  public var timeInBed: Duration { duration(of: CategoryValue.sleepValues) }

  /// Total sleep time (TST).
  public var timeAsleep: Duration { duration(of: CategoryValue.allAsleepValues) }

  /// The share of the time in bed that was sleep, 0 to 1; nil where the sources report sleep alone, since the time in bed is
  /// unknown then.
  public var efficiency: Double? {
    guard stretches.contains(where: { !$0.isAsleep }) else { return nil }
    return Double(timeAsleep.wholeMicroseconds) / Double(timeInBed.wholeMicroseconds)
  }

  /// Sleep latency: the time in bed before the first sleep; nil where there is no sleep, or where the sources begin with sleep,
  /// since the latency is unknown then.
  public var latency: Duration? {
    guard let onset = stretches.first(where: \.isAsleep), onset.span.start > span.start else { return nil }
    return .microseconds(onset.span.start.microseconds(since: span.start))
  }

  /// Wake after sleep onset (WASO): the time in bed and not asleep between the first and the last sleep.
  public var wakeAfterOnset: Duration {
    .microseconds(sinceOnset.reduce(0) { $1.isAsleep ? $0 : $0 + $1.span.microseconds })
  }

  /// The number of interruptions of sleep: times in bed and not asleep between two stretches of sleep. A time of which nothing is
  /// known does not count.
  public var awakenings: Int {
    let sinceOnset = sinceOnset
    return zip(sinceOnset, sinceOnset.dropFirst()).count { $0.isAsleep && !$1.isAsleep }
  }

  /// The stretches from the first sleep to the last.
  private var sinceOnset: ArraySlice<Stretch> {
    guard let first = stretches.firstIndex(where: \.isAsleep), let last = stretches.lastIndex(where: \.isAsleep) else {
      return []
    }
    return stretches[first...last]
  }

  /// The sources that count somewhere in the period, by name.
  public var sources: [DataSource] {
    Set(stretches.map(\.source)).sorted { ($0.source, $0.device ?? "") < ($1.source, $1.device ?? "") }
  }
}

extension SleepPeriod {
  /// The longest time between two intervals of one period, in microseconds: an hour.
  private static let separation: Int64 = 3_600_000_000

  /// The nights and naps that intervals of any sources, in any order, make up.
  ///
  /// Intervals that are at most an hour apart are one period. At each moment one source counts, as in statistics: of those that
  /// report more than time in bed, the first in `priority`, then the one with the longest stages of sleep in the period, then the
  /// one with the longest sleep, then the first by name. So a watch that reports stages comes before a phone that lies beside the
  /// bed, and the answer does not depend on the rest of a query. One source may rightly report two values for one moment, since a
  /// sleeper is in bed: stages and times awake count before ``CategoryValue/asleepUnspecified``, all before
  /// ``CategoryValue/inBed``, and of equal values the one that began later.
  ///
  /// - Parameters:
  ///   - intervals: The intervals; values that this version does not know, and intervals without a length, are left out.
  ///   - priority: The sources that count first.
  /// - Returns: The periods, in order of time.
  public static func periods(of intervals: [SleepInterval], priority: [DataSource] = []) -> [SleepPeriod] {
    let ordered = intervals.filter(\.counts).sorted { $0.span.start < $1.span.start }
    var periods: [SleepPeriod] = []
    var first = ordered.startIndex
    var end = Int64.min
    for (index, interval) in ordered.enumerated() {
      if index > first, interval.span.start.microseconds > end.addingSaturated(separation) {
        SleepPeriod(merge(ordered[first..<index], priority)).map { periods.append($0) }
        first = index
      }
      end = max(end, interval.span.end.microseconds)
    }
    SleepPeriod(merge(ordered[first...], priority)).map { periods.append($0) }
    return periods
  }

  /// The stretches that count, of the intervals of one period.
  private static func merge(_ intervals: ArraySlice<SleepInterval>, _ priority: [DataSource]) -> [Stretch] {
    let ranks = ranks(of: intervals, priority)
    let claims = intervals.map { Claim($0, rank: ranks[$0.source, default: .max]) }.sorted()
    var stretches: [Stretch] = []
    for part in OverlapResolution.parts(of: claims.map(\.interval.span)) {
      let interval = claims[part.place].interval
      if let last = stretches.last, last.span.end == part.span.start, last.value == interval.value,
        last.source == interval.source, let longer = TimeSpan(start: last.span.start, end: part.span.end)
      {
        stretches[stretches.count - 1].span = longer
      } else {
        stretches.append(Stretch(interval.value, over: part.span, source: interval.source))
      }
    }
    return stretches
  }

  /// The sources' places; the first counts.
  private static func ranks(
    of intervals: ArraySlice<SleepInterval>, _ priority: [DataSource]
  ) -> [DataSource: Int] {
    var told: [DataSource: (stages: Int64, asleep: Int64)] = [:]
    for interval in intervals {
      var (stages, asleep) = told[interval.source] ?? (0, 0)
      let length = interval.span.microseconds
      if CategoryValue.sleepStages.contains(interval.value) { stages = stages.addingSaturated(length) }
      if CategoryValue.allAsleepValues.contains(interval.value) { asleep = asleep.addingSaturated(length) }
      told[interval.source] = (stages, asleep)
    }
    let named = Dictionary(zip(priority, priority.indices)) { first, _ in first }
    let keys = told.map { source, told in
      (source, (named[source] ?? .max, -told.stages, -told.asleep, source.source, source.device ?? ""))
    }
    let sorted = keys.sorted { $0.1 < $1.1 }
    return Dictionary(zip(sorted.map(\.0), 0...)) { first, _ in first }
  }

  /// An interval that may count; of several the least does.
  private struct Claim: Comparable {
    let interval: SleepInterval
    /// All bits of the start are turned round: what began later comes first.
    private let key: (isInBed: Int, rank: Int, isUnspecified: Int, start: Int64, value: Int64)

    init(_ interval: SleepInterval, rank: Int) {
      self.interval = interval
      key = (
        interval.value == .inBed ? 1 : 0, rank, interval.value == .asleepUnspecified ? 1 : 0,
        ~interval.span.start.microseconds, interval.value.rawValue
      )
    }

    static func < (one: Claim, other: Claim) -> Bool { one.key < other.key }
    static func == (one: Claim, other: Claim) -> Bool { one.key == other.key }
  }
}

/// The value of a stretch of sleep, or of time in bed, as one source reports it.
///
/// A source may report several values for one moment: time in bed, and a stage of sleep.
public struct SleepInterval: Hashable, Sendable {
  /// A value of ``CategoryType/sleepAnalysis``.
  public var value: CategoryValue
  /// The time of the interval.
  public var span: TimeSpan
  /// The source of the value.
  public var source: DataSource

  /// An interval with the given parts.
  public init(_ value: CategoryValue, over span: TimeSpan, source: DataSource) {
    self.value = value
    self.span = span
    self.source = source
  }

  /// The interval of a sample; nil for one that is not of ``CategoryType/sleepAnalysis``.
  public init?(_ sample: HealthSample) {
    guard sample.type == .category(.sleepAnalysis), let value = sample.category,
      let span = TimeSpan(start: sample.start, end: sample.end)
    else { return nil }
    self.init(value, over: span, source: DataSource(sample.source, sample.device))
  }

  /// Whether this version knows the value, and the interval has a length.
  var counts: Bool { CategoryValue.sleepValues.contains(value) && span.microseconds > 0 }
}

extension CategoryValue {
  /// Every value of ``CategoryType/sleepAnalysis`` that this version knows.
  static let sleepValues: Set<CategoryValue> = allAsleepValues.union([inBed, awake])
  /// The stages of sleep, without ``asleepUnspecified``.
  static let sleepStages: Set<CategoryValue> = [asleepCore, asleepDeep, asleepREM]
}
