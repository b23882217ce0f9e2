import Glibc

/// The figures of one bucket while they are collected.
package struct StatisticsAccumulator: Sendable {
  package var count = 0
  package var sum: Double = 0
  package var minimum: Double = .infinity
  package var maximum: Double = -.infinity
  /// Microseconds, and value times microseconds.
  package var duration: Double = 0
  package var weighted: Double = 0
  /// `10^(value/10)`, plain and times microseconds, for levels.
  package var power: Double = 0
  package var weightedPower: Double = 0
  package var covered: Int64 = 0
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

  /// Remembers the quantity if none is later: of equal starts the one of the source with the higher priority counts.
  package mutating func note(_ candidate: MostRecent) {
    guard let current = mostRecent else {
      mostRecent = candidate
      return
    }
    if candidate.start > current.start || (candidate.start == current.start && candidate.rank <= current.rank) {
      mostRecent = candidate
    }
  }

  /// ``duration`` in whole microseconds; the greatest integer where quantities last longer together.
  var wholeDuration: Int64 {
    Int64(exactly: duration.rounded()) ?? .max
  }

  /// The power that a level stands for, relative to its reference.
  static func power(ofLevel level: Double) -> Double {
    pow(10, level / 10)
  }

  func average(_ style: AggregationStyle, _ policy: WeightingPolicy) -> Double? {
    guard count > 0 else { return nil }
    switch style {
    case .cumulative: return nil
    case .discreteArithmetic: return sum / Double(count)
    case .discreteEquivalentContinuousLevel:
      return 10 * log10(duration > 0 ? weightedPower / duration : power / Double(count))
    case .discreteTemporallyWeighted:
      switch policy {
      case .ownDuration: return duration > 0 ? weighted / duration : sum / Double(count)
      // A single value spans no time: it is its own mean.
      case .holdLast, .trapezoid: return integrated > 0 ? integral / integrated : sum / Double(count)
      }
    }
  }
}
