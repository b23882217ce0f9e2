extension SleepPeriod {
  /// Intervals that are further apart than this, in microseconds, are not one period: an hour.
  private static let separation: Int64 = 3_600_000_000

  /// The nights and naps that intervals of any sources, in any order, make up.
  ///
  /// Intervals that are at most an hour apart are one period. At each moment one source counts, as in statistics: of those that say
  /// more than that somebody is in bed, the first in `priority`, then the one with the longest stages of sleep in the period, then
  /// the one with the longest sleep, then the first by name. So a watch that tells stages comes before a phone that lies beside
  /// the bed, and the answer does not depend on what else was asked for. What one source says twice of one moment is real, since who
  /// sleeps is in bed: stages and times awake count before ``CategoryValue/asleepUnspecified``, all before ``CategoryValue/inBed``, and
  /// of equal ones that which began later.
  ///
  /// - Parameters:
  ///   - intervals: Values that this version does not know, and intervals without a length, are left out.
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

  /// What counts when, of intervals that are one period.
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
