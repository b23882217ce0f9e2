import Glibc

/// The figures of one bucket while they are accumulated.
package struct StatisticsAccumulator: Sendable {
  /// Of all sources together.
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

  /// Keeps the latest quantity; of equal starts, that of the source with the higher priority.
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
