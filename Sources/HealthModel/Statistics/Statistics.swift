/// The figures of one stretch of time, with what is needed to judge them.
public struct Statistics: Hashable, Sendable, Codable {
  /// From here, inclusive …
  public var start: Timestamp
  /// … to here, exclusive.
  public var end: Timestamp
  /// Whose quantities they are; nil where the sources are merged.
  public var source: DataSource?
  /// Quantities that contributed.
  public var count: Int
  /// In the type's unit, as all values; nil where it was not asked for, does not apply, or nothing contributed.
  public var sum: Double?
  /// The mean by the type's aggregation style.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double?
  /// The greatest value.
  public var maximum: Double?
  /// The value that starts last.
  public var mostRecent: Double?
  /// When the most recent quantity was measured.
  public var mostRecentSpan: TimeSpan?
  /// Microseconds that the quantities last together.
  public var duration: Int64?
  /// How much of the time the quantities speak for.
  public var coverage: TimeCoverage
  /// Who contributed, the highest priority first.
  public var sources: [DataSource]
  /// What each of ``sources`` weighs in the average, together 1: as long as it covers time, or as often as it measured where
  /// none covers any. Empty where the average does not weigh sources: it is of one, or by another style or policy than
  /// ``WeightingPolicy/ownDuration``.
  public var sourceWeights: [Double]
  /// How a temporally weighted average weighs.
  public var policy: WeightingPolicy
  /// Of the type's aggregation style.
  public var styleVersion: Int
}

extension Statistics {
  /// Of a stretch to which no quantity contributed.
  init(
    emptyFrom start: Timestamp, to end: Timestamp, source: DataSource?, coverage: TimeCoverage, policy: WeightingPolicy,
    styleVersion: Int
  ) {
    self.init(
      start: start, end: end, source: source, count: 0, coverage: coverage, sources: [], sourceWeights: [],
      policy: policy,
      styleVersion: styleVersion)
  }
}

/// How much of a stretch of time the quantities speak for, in microseconds.
public struct TimeCoverage: Hashable, Sendable, Codable {
  /// Time that lies in a quantity, or between two of a series that are no further apart than the policy's gap.
  public var covered: Int64
  /// The rest.
  public var gaps: Int64

  /// Takes every part as it is.
  public init(covered: Int64, gaps: Int64) {
    self.covered = covered
    self.gaps = gaps
  }

  /// 0 to 1; 0 for a stretch without duration.
  public var fraction: Double {
    let length = Double(covered) + Double(gaps)
    return length > 0 ? Double(covered) / length : 0
  }
}
