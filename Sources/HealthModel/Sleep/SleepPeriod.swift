/// A time in bed with the sleep in it, a night or a nap, over all sources.
///
/// The figures are those of sleep medicine: total sleep time, sleep latency, wake after sleep onset and sleep efficiency as in the AASM
/// Manual for the Scoring of Sleep, "Parameters to be reported", with the times that the sources tell in place of lights out and lights on.
public struct SleepPeriod: Hashable, Sendable {
  /// A stretch of one value, by the source that counts there.
  public struct Stretch: Hashable, Sendable {
    /// A value of ``CategoryType/sleepAnalysis``.
    public var value: CategoryValue
    /// When.
    public var span: TimeSpan
    /// Who said so.
    public var source: DataSource

    /// A stretch with the given parts.
    public init(_ value: CategoryValue, over span: TimeSpan, source: DataSource) {
      self.value = value
      self.span = span
      self.source = source
    }

    var isAsleep: Bool { CategoryValue.allAsleepValues.contains(value) }
  }

  /// From the first stretch to the last.
  public let span: TimeSpan
  /// What counts when: in order, and no two of one moment. Of a time between them nobody said anything.
  public let stretches: [Stretch]

  /// Nil without stretches; they are in order and do not overlap.
  init?(_ stretches: [Stretch]) {
    guard let first = stretches.first, let last = stretches.last,
      let span = TimeSpan(start: first.span.start, end: last.span.end)
    else { return nil }
    self.span = span
    self.stretches = stretches
  }

  /// How long these values count together.
  public func duration(of values: Set<CategoryValue>) -> Duration {
    .microseconds(stretches.reduce(0) { values.contains($1.value) ? $0 + $1.span.microseconds : $0 })
  }

  /// How long somebody was in bed, asleep or not.
  public var timeInBed: Duration { duration(of: CategoryValue.sleepValues) }

  /// Total sleep time (TST).
  public var timeAsleep: Duration { duration(of: CategoryValue.allAsleepValues) }

  /// The share of the time in bed that was sleep, 0 to 1; nil where all that anybody tells of is sleep, since then nobody knows how
  /// long it was.
  public var efficiency: Double? {
    guard stretches.contains(where: { !$0.isAsleep }) else { return nil }
    return Double(timeAsleep.wholeMicroseconds) / Double(timeInBed.wholeMicroseconds)
  }

  /// Sleep latency: how long somebody was in bed before the first sleep; nil where there is no sleep, or where the sources begin
  /// with it, since then nobody knows.
  public var latency: Duration? {
    guard let onset = stretches.first(where: \.isAsleep), onset.span.start > span.start else { return nil }
    return .microseconds(onset.span.start.microseconds(since: span.start))
  }

  /// Wake after sleep onset (WASO): how long somebody was in bed and not asleep between the first and the last sleep.
  public var wakeAfterOnset: Duration {
    .microseconds(sinceOnset.reduce(0) { $1.isAsleep ? $0 : $0 + $1.span.microseconds })
  }

  /// How often sleep was interrupted: the times between two stretches of sleep in which somebody was in bed and not asleep. A time of
  /// which nobody said anything is none.
  public var awakenings: Int {
    let sinceOnset = sinceOnset
    return zip(sinceOnset, sinceOnset.dropFirst()).count { $0.isAsleep && !$1.isAsleep }
  }

  /// From the first sleep to the last.
  private var sinceOnset: ArraySlice<Stretch> {
    guard let first = stretches.firstIndex(where: \.isAsleep), let last = stretches.lastIndex(where: \.isAsleep) else {
      return []
    }
    return stretches[first...last]
  }

  /// The sources that count somewhere in it, by name.
  public var sources: [DataSource] {
    Set(stretches.map(\.source)).sorted { ($0.source, $0.device ?? "") < ($1.source, $1.device ?? "") }
  }
}
