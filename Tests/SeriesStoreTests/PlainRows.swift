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
    var sync: NewSample.SyncIdentity?
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
  }

  /// The figures of samples by source, the highest priority first.
  static func figures(_ samples: [[Sample]], _ question: Question) -> [Figures] {
    var figures = Array(repeating: Figures(), count: question.bucketCount)
    // Whether a better source speaks for the moment of a tick, and for the time behind it.
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
        if let bucket = question.buckets[tick] { figures[bucket].covered += 1 }
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
  func average(_ question: PlainRows.Question) -> Double? {
    guard count > 0 else { return nil }
    switch (question.type.style, question.policy) {
    case (.discreteArithmetic, _): return sum / Double(count)
    case (.discreteEquivalentContinuousLevel, _):
      return 10 * log10(duration > 0 ? weightedPower / Double(duration) : power / Double(count))
    case (.discreteTemporallyWeighted, .ownDuration):
      return duration > 0 ? weighted / Double(duration) : sum / Double(count)
    case (.discreteTemporallyWeighted, _):
      return integrated > 0 ? integral / Double(integrated) : sum / Double(count)
    default: return nil
    }
  }
}
