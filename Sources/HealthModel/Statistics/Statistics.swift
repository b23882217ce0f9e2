/// The figures of one stretch of time, with their context.
public struct Statistics: Hashable, Sendable, Codable {
  /// From here, inclusive …
  public var start: Timestamp
  /// … to here, exclusive.
  public var end: Timestamp
  /// The source of the quantities; nil if the sources are merged.
  public var source: DataSource?
  /// The number of quantities that contributed.
  public var count: Int
  /// In the type's unit, like all values; nil if it was not requested, does not apply, or nothing contributed.
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
  /// The total duration of the quantities, in microseconds.
  public var duration: Int64?
  /// How much of the time the quantities cover.
  public var coverage: TimeCoverage
  /// The sources that contributed, highest priority first.
  public var sources: [DataSource]
  /// The weight of each of ``sources`` in the average, adding up to 1: by the time that it covers, or by the number of its
  /// values if none covers any. Empty if the average does not weigh sources: because there is one only, or by another style
  /// or policy than ``WeightingPolicy/ownDuration``.
  public var sourceWeights: [Double]
  /// The weighting of a temporally weighted average.
  public var policy: WeightingPolicy
  /// The version of the type's aggregation style.
  public var styleVersion: Int
}

extension Statistics {
  /// Of a stretch to which no quantity contributed.
  package init(
    emptyFrom start: Timestamp, to end: Timestamp, source: DataSource?, coverage: TimeCoverage, policy: WeightingPolicy,
    styleVersion: Int
  ) {
    self.init(
      start: start, end: end, source: source, count: 0, coverage: coverage, sources: [], sourceWeights: [],
      policy: policy,
      styleVersion: styleVersion)
  }
}

/// How much of a stretch of time the quantities cover, in microseconds.
public struct TimeCoverage: Hashable, Sendable, Codable {
  /// Time within a quantity, or between two of a series that are no further apart than the policy's gap.
  public var covered: Int64
  /// The rest of the stretch.
  public var gaps: Int64

  /// Coverage with the given parts.
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
