/// The figures of one stretch of time, with their context.
public struct Statistics: Hashable, Sendable, Codable {
  /// The start of the stretch, which belongs to it.
  public var start: Timestamp
  /// The end of the stretch, which does not belong to it.
  public var end: Timestamp
  /// The source of the quantities; nil if the sources are merged.
  public var source: DataSource?
  /// The number of quantities that contributed.
  public var count: Int
  /// The sum in the type's unit, like all values; nil if the sum was not requested, does not apply, or nothing contributed.
  public var sum: Double?
  /// The mean by the type's aggregation style.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double?
  /// The greatest value.
  public var maximum: Double?
  /// The value that starts last.
  public var mostRecent: Double?
  /// The time of the most recent quantity.
  public var mostRecentSpan: TimeSpan?
  /// The total duration of the quantities, in microseconds.
  public var duration: Int64?
  /// The part of the time that the quantities cover.
  public var coverage: TimeCoverage
  /// The sources that contributed, highest priority first.
  public var sources: [DataSource]
  /// The weight of each of ``sources`` in the average, adding up to 1: by the time that the source covers, or by the number of its
  /// values if no source covers any time. Empty if the average does not weigh sources: because there is only one, or by another
  /// style or policy than ``WeightingPolicy/ownDuration``.
  public var sourceWeights: [Double]
  /// The weighting of a temporally weighted average.
  public var policy: WeightingPolicy
  /// The version of the type's aggregation style.
  public var styleVersion: Int
}

extension Statistics {
  /// The statistics of a stretch to which no quantity contributed.
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

/// The part of a stretch of time that quantities cover, and the rest of the stretch, in microseconds.
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

  /// The covered share, 0 to 1; 0 for a stretch without duration.
  public var fraction: Double {
    let length = Double(covered) + Double(gaps)
    return length > 0 ? Double(covered) / length : 0
  }
}

/// The requested figures.
public struct StatisticsOptions: OptionSet, Hashable, Sendable, Codable {
  /// The flags as bits.
  public let rawValue: UInt8

  /// The options with these bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The mean by the type's style; discrete types only.
  public static let average = StatisticsOptions(rawValue: 1 << 0)
  /// The smallest value; discrete types only.
  public static let minimum = StatisticsOptions(rawValue: 1 << 1)
  /// The greatest value; discrete types only.
  public static let maximum = StatisticsOptions(rawValue: 1 << 2)
  /// The sum; cumulative types only.
  public static let sum = StatisticsOptions(rawValue: 1 << 3)
  /// The value that starts last, with its time.
  public static let mostRecent = StatisticsOptions(rawValue: 1 << 4)
  /// The total duration of the quantities.
  public static let duration = StatisticsOptions(rawValue: 1 << 5)
  /// One result for each source, instead of one for all sources merged.
  public static let separateBySource = StatisticsOptions(rawValue: 1 << 6)

  /// Every figure that is meaningful for the type's style.
  public static func all(for type: QuantityType) -> StatisticsOptions {
    guard type.style.isKnown else { return [.mostRecent, .duration] }
    return type.style.isCumulative
      ? [.sum, .mostRecent, .duration] : [.average, .minimum, .maximum, .mostRecent, .duration]
  }

  /// Throws if a figure is not meaningful for the type's style.
  public func validate(for type: QuantityType) throws(StatisticsError) {
    guard type.style.isKnown else {
      if isDisjoint(with: [.average, .minimum, .maximum, .sum]) { return }
      throw .unknownStyle(type: type.identifier)
    }
    if type.style.isCumulative {
      if contains(.average) { throw .notForCumulative(option: "average", type: type.identifier) }
      if contains(.minimum) { throw .notForCumulative(option: "minimum", type: type.identifier) }
      if contains(.maximum) { throw .notForCumulative(option: "maximum", type: type.identifier) }
    } else if contains(.sum) {
      throw .notForDiscrete(option: "sum", type: type.identifier)
    }
  }
}

/// The weights of values in a discrete average. HealthKit does not document its weights of values without duration; these
/// policies are ours, and a later version may have more.
@nonexhaustive
public enum WeightingPolicy: Hashable, Sendable, CustomStringConvertible, Codable {
  /// Within a source each value weighs by its duration; if all durations are zero, all weigh the same. Sources weigh by the
  /// time they cover (``Statistics/sourceWeights``).
  case ownDuration
  /// Each value holds until the next one of its series starts, if that is not more than this many microseconds later.
  case holdLast(maximumGapMicroseconds: Int64)
  /// Straight lines connect a series' values, unless they are more than this many microseconds apart.
  case trapezoid(maximumGapMicroseconds: Int64)

  /// The standard gap: ten seconds, for which a strap's link may be interrupted.
  public static let standardGapMicroseconds: Int64 = 10_000_000

  /// One line for a person.
  public var description: String {
    switch self {
    case .ownDuration: "ownDuration"
    case .holdLast: "holdLast"
    case .trapezoid: "trapezoid"
    }
  }

  /// The longest time between two values that is not a gap, in microseconds.
  public var maximumGapMicroseconds: Int64 {
    switch self {
    case .ownDuration: Self.standardGapMicroseconds
    case .holdLast(let gap), .trapezoid(let gap): gap
    }
  }
}

/// The quantities of one series, in order of their starts: the input of statistics.
///
/// If the arrays differ in length, only quantities with both start and value count, and one without an end has no duration.
public struct QuantityTrack: Hashable, Sendable, Codable {
  /// The start of each quantity, in microseconds since 1970, not decreasing.
  public var starts: [Int64]
  /// The end of each quantity; empty if no quantity has a duration.
  public var ends: [Int64]
  /// The values, in the type's unit.
  public var values: [Double]

  /// A track with the given columns, which are not checked.
  public init(starts: [Int64] = [], ends: [Int64] = [], values: [Double] = []) {
    self.starts = starts
    self.ends = ends
    self.values = values
  }

  /// The number of quantities.
  public var count: Int { min(starts.count, values.count) }

  /// The end of a quantity, which is not before its start.
  func end(of index: Int) -> Int64 {
    index < ends.count ? max(starts[index], ends[index]) : starts[index]
  }

  /// The time that the series covers: its quantities, and the time between two that are at most `maximumGap` microseconds
  /// apart.
  package func coverage(maximumGap: Int64) -> TimeStretches {
    var coverage = TimeStretches()
    var latestEnd: Int64?
    for index in 0..<count {
      let start = starts[index]
      let end = end(of: index)
      if let latest = latestEnd, start > latest, start.subtractingSaturated(latest) <= maximumGap {
        coverage.append(from: latest, to: start)
      }
      coverage.append(from: start, to: end)
      latestEnd = max(latestEnd ?? end, end)
    }
    return coverage
  }
}

/// A reason why statistics cannot be computed.
@nonexhaustive
public enum StatisticsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Average, minimum and maximum are not meaningful for quantities that add up.
  case notForCumulative(option: String, type: String)
  /// The sum is not meaningful for quantities that do not add up.
  case notForDiscrete(option: String, type: String)
  /// The type's aggregation style is unknown to this program; a later version wrote it.
  case unknownStyle(type: String)
  /// No type has that identifier; `nearest` are similar identifiers.
  case unknownType(String, nearest: [String])
  /// The text is not an interval such as `15m`, `1h`, `1d`, `2w`, `1mo`, `1y`.
  case unknownInterval(String)
  /// The interval would divide the time into more buckets than can be returned.
  case tooManyBuckets(limit: Int)
  /// A bucket ends before it starts.
  case emptyRange

  /// One line for a person.
  public var description: String {
    switch self {
    case .notForCumulative(let option, let type): "\(option) does not go with \(type), whose quantities add up: use sum"
    case .notForDiscrete(let option, let type): "\(option) does not go with \(type), which is no amount: use average"
    case .unknownStyle(let type): "how \(type) is summed up is not known to this program: use a newer one"
    case .unknownType(let name, let nearest):
      nearest.isEmpty
        ? "there is no quantity type '\(name)'"
        : "there is no quantity type '\(name)'; did you mean \(nearest.joined(separator: ", or "))?"
    case .unknownInterval(let text): "\(text) is no interval; use 15m, 1h, 1d, 1w, 1mo or 1y, with any whole number"
    case .tooManyBuckets(let limit): "that would be more than \(limit) intervals; use longer ones or a shorter time"
    case .emptyRange: "the time asked for ends before it starts"
    }
  }
}
