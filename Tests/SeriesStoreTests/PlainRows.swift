import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// Samples as plain rows in ticks of a world's time, and statistics of them by looking at every tick: slow, and too simple to be
/// wrong.
struct PlainRows {
  struct Row: Hashable {
    var start: Int
    var end: Int
    var value: Double
  }

  struct Sample {
    var id: UUID
    var type: QuantityType
    /// Its place in the order of priority.
    var source: DataSource
    var start: Int
    var end: Int
    /// In order of start.
    var rows: [Row]
    var sync: SyncIdentity?
    /// Of all that were saved, in which order.
    var order: Int
  }

  /// What is asked of the rows.
  struct Question {
    var type: QuantityType
    var policy: WeightingPolicy
    /// Ticks between two values of a series above which a gap lies.
    var gap: Int
    /// The bucket of each tick; nil outside of all.
    var buckets: [Int?]
    var bucketCount: Int
  }

  /// A bucket's figures.
  struct Figures {
    var count = 0
    var sum = 0.0
    var minimum = Double.infinity
    var maximum = -Double.infinity
    /// Ticks.
    var duration = 0
    var weighted = 0.0
    var power = 0.0
    var weightedPower = 0.0
    var integral = 0.0
    var integrated = 0
    var covered = 0
    var recent: (row: Row, rank: Int)?
    var ranks: Set<Int> = []
    var shares: [Int: Share] = [:]
  }

  /// What one source brought to a bucket.
  struct Share {
    var count = 0.0
    var sum = 0.0
    var duration = 0.0
    var weighted = 0.0
    var covered = 0.0
  }

  /// The figures of samples by source, the highest priority first.
  static func figures(_ samples: [[Sample]], _ question: Question) -> [Figures] {
    var figures = Array(repeating: Figures(), count: question.bucketCount)
    // Whether a source of higher priority covers the moment of a tick, and the time after it.
    var takenMoments = Array(repeating: false, count: question.buckets.count)
    var takenTicks = takenMoments
    for (rank, samples) in samples.enumerated() {
      var moments = takenMoments
      var ticks = takenTicks
      // Of equal starts the last row of the sample that starts last is the most recent one.
      for sample in samples.sorted(by: { ($0.start, $0.order) < ($1.start, $1.order) }) {
        var latest: Int?
        for (index, row) in sample.rows.enumerated() {
          let hasBridge = latest.map { $0 < row.start && row.start - $0 <= question.gap } ?? false
          for tick in (hasBridge ? latest ?? row.start : row.start)...row.end {
            moments[tick] = true
            if tick < row.end { ticks[tick] = true }
          }
          latest = max(latest ?? row.end, row.end)
          add(row, rank, question, takenMoments, takenTicks, to: &figures)
          if index + 1 < sample.rows.count {
            addSegment(row, sample.rows[index + 1], question, takenTicks, to: &figures)
          }
        }
      }
      for tick in ticks.indices where ticks[tick] && !takenTicks[tick] {
        if let bucket = question.buckets[tick] {
          figures[bucket].covered += 1
          figures[bucket].shares[rank, default: Share()].covered += 1
        }
      }
      takenMoments = moments
      takenTicks = ticks
    }
    return figures
  }

  private static func add(
    _ row: Row, _ rank: Int, _ question: Question, _ takenMoments: [Bool], _ takenTicks: [Bool],
    to figures: inout [Figures]
  ) {
    var touched: Set<Int> = []
    if question.type.style == .cumulative, row.end > row.start {
      for tick in row.start..<row.end where !takenTicks[tick] {
        guard let bucket = question.buckets[tick] else { continue }
        figures[bucket].sum += row.value / Double(row.end - row.start)
        figures[bucket].duration += 1
        touched.insert(bucket)
      }
    } else if let bucket = question.buckets[row.start], !takenMoments[row.start] {
      figures[bucket].sum += row.value
      figures[bucket].duration += row.end - row.start
      figures[bucket].weighted += row.value * Double(row.end - row.start)
      figures[bucket].power += pow(10, row.value / 10)
      figures[bucket].weightedPower += pow(10, row.value / 10) * Double(row.end - row.start)
      var share = figures[bucket].shares[rank] ?? Share()
      share.count += 1
      share.sum += row.value
      share.duration += Double(row.end - row.start)
      share.weighted += row.value * Double(row.end - row.start)
      figures[bucket].shares[rank] = share
      touched.insert(bucket)
    }
    for bucket in touched {
      figures[bucket].count += 1
      figures[bucket].minimum = min(figures[bucket].minimum, row.value)
      figures[bucket].maximum = max(figures[bucket].maximum, row.value)
      figures[bucket].ranks.insert(rank)
      if let recent = figures[bucket].recent, (recent.row.start, -recent.rank) > (row.start, -rank) { continue }
      figures[bucket].recent = (row, rank)
    }
  }

  private static func addSegment(
    _ row: Row, _ next: Row, _ question: Question, _ takenTicks: [Bool], to figures: inout [Figures]
  ) {
    guard next.start > row.start, next.start - row.start <= question.gap else { return }
    for tick in row.start..<next.start where !takenTicks[tick] {
      guard let bucket = question.buckets[tick] else { continue }
      figures[bucket].integrated += 1
      if case .holdLast = question.policy {
        figures[bucket].integral += row.value
      } else {
        let share = (Double(tick - row.start) + 0.5) / Double(next.start - row.start)
        figures[bucket].integral += row.value + (next.value - row.value) * share
      }
    }
  }
}

extension PlainRows.Figures {
  /// What each source weighs, in the order of their ranks; none where there is only one.
  func sourceWeights(_ question: PlainRows.Question) -> [Double] {
    guard question.type.style == .discreteTemporallyWeighted, question.policy == .ownDuration, ranks.count > 1 else {
      return []
    }
    let measured = ranks.sorted().compactMap { shares[$0] }
    let covers = measured.contains { $0.covered > 0 }
    let weights = measured.map { covers ? $0.covered : $0.count }
    return weights.map { $0 / weights.reduce(0, +) }
  }

  func average(_ question: PlainRows.Question) -> Double? {
    guard count > 0 else { return nil }
    switch (question.type.style, question.policy) {
    case (.discreteArithmetic, _): return sum / Double(count)
    case (.discreteEquivalentContinuousLevel, _):
      return 10 * log10(duration > 0 ? weightedPower / Double(duration) : power / Double(count))
    case (.discreteTemporallyWeighted, .ownDuration):
      let shares = shares.values.filter { $0.count > 0 }
      let covers = shares.contains { $0.covered > 0 }
      let weights = shares.map { covers ? $0.covered : $0.count }
      let means = shares.map { $0.duration > 0 ? $0.weighted / $0.duration : $0.sum / $0.count }
      return zip(means, weights).map(*).reduce(0, +) / weights.reduce(0, +)
    case (.discreteTemporallyWeighted, _):
      return integrated > 0 ? integral / Double(integrated) : sum / Double(count)
    default: return nil
    }
  }
}
