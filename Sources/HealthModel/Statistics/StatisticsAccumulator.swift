import Glibc

/// The figures of one bucket while they are accumulated.
package struct StatisticsAccumulator: Sendable {
  /// The contributions of all sources together.
  package var total = SourceShare()
  /// The rank of the only source so far; see ``StatisticsBuckets/credit(_:of:to:)``.
  var soleRank: Int32 = Self.nobody
  static let nobody: Int32 = -1
  static let several: Int32 = -2
  package var minimum: Double = .infinity
  package var maximum: Double = -.infinity
  /// `10^(value/10)`, plain and times microseconds, for levels.
  package var power: Double = 0
  package var weightedPower: Double = 0
  /// Microseconds that the weighting policy's integral spans, and that integral.
  package var integrated: Double = 0
  package var integral: Double = 0
  package var mostRecent: MostRecent?
  /// One bit for each of the first 64 sources: whether it contributed.
  package var ranks: UInt64 = 0

  package struct MostRecent: Sendable {
    package var value: Double
    package var start: Int64
    package var end: Int64
    package var rank: Int

    package init(value: Double, start: Int64, end: Int64, rank: Int) {
      self.value = value
      self.start = start
      self.end = end
      self.rank = rank
    }
  }

  package init() {}

  /// Records the latest quantity; of equal starts, that of the source with the higher priority.
  package mutating func note(_ candidate: MostRecent) {
    guard let current = mostRecent else {
      mostRecent = candidate
      return
    }
    if candidate.start > current.start || (candidate.start == current.start && candidate.rank <= current.rank) {
      mostRecent = candidate
    }
  }

  /// The power that a level stands for, relative to its reference.
  static func power(ofLevel level: Double) -> Double {
    pow(10, level / 10)
  }

  /// The mean by the style. `shares` are the contributions by rank, if there are several that matter.
  func average(_ style: AggregationStyle, _ policy: WeightingPolicy, shares: [Int: SourceShare]?) -> Double? {
    guard total.count > 0 else { return nil }
    let average: Double? =
      switch style {
      case .discreteArithmetic: total.plainMean
      case .discreteEquivalentContinuousLevel:
        10 * log10(total.duration > 0 ? weightedPower / total.duration : power / Double(total.count))
      case .discreteTemporallyWeighted:
        switch policy {
        case .ownDuration: shares.map(SourceShare.mean) ?? total.mean
        // A single value has no extent in time: it is its own mean.
        case .holdLast, .trapezoid: integrated > 0 ? integral / integrated : total.plainMean
        }
      // Sums have no mean, and unknown styles cannot be computed.
      default: nil
      }
    return average.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// The contribution of one source, or of all together, to a bucket.
package struct SourceShare: Hashable, Sendable {
  package var count = 0
  package var sum: Double = 0
  /// The sum of durations in microseconds, and the sum of value times duration.
  package var duration: Double = 0
  package var weighted: Double = 0
  /// Microseconds covered by the source.
  package var covered: Int64 = 0

  package init(
    count: Int = 0, sum: Double = 0, duration: Double = 0, weighted: Double = 0, covered: Int64 = 0
  ) {
    self.count = count
    self.sum = sum
    self.duration = duration
    self.weighted = weighted
    self.covered = covered
  }

  mutating func add(_ other: SourceShare) {
    count += other.count
    sum += other.sum
    duration += other.duration
    weighted += other.weighted
    covered = covered.addingSaturated(other.covered)
  }

  /// The mean in which all values weigh the same; nil without values.
  var plainMean: Double? { count > 0 ? sum / Double(count) : nil }

  /// The mean weighted by duration; unweighted if all durations are zero.
  var mean: Double? { duration > 0 && count > 0 ? weighted / duration : plainMean }

  /// The weight of each source in a mean, by its rank: the time that it covers, or the number of its values if no source
  /// covers any. The weights add up to 1.
  static func weights(_ shares: [Int: SourceShare]) -> [(rank: Int, weight: Double)] {
    let measuring = shares.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }
    let covered = measuring.reduce(0) { $0 + Double($1.value.covered) }
    let counted = measuring.reduce(0) { $0 + Double($1.value.count) }
    return measuring.map { rank, share in
      (rank, covered > 0 ? Double(share.covered) / covered : Double(share.count) / counted)
    }
  }

  /// The weights alone; empty if only one source contributed.
  static func sharedWeights(_ shares: [Int: SourceShare]) -> [Double] {
    let weights = weights(shares)
    return weights.count > 1 ? weights.map(\.weight) : []
  }

  /// The weighted mean of the sources' own means.
  static func mean(_ shares: [Int: SourceShare]) -> Double? {
    let weights = weights(shares)
    guard !weights.isEmpty else { return nil }
    return weights.reduce(0) { $0 + (shares[$1.rank]?.mean ?? 0) * $1.weight }
  }
}
