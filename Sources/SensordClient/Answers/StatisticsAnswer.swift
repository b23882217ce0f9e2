import FoundationEssentials
import HealthModel

/// Buckets of statistics, a line each.
struct StatisticsAnswer: AnswerDecoder {
  private var buckets: [Statistics] = []
  private var isComplete = false

  private struct Complete: Decodable {
    var complete: Bool
  }

  private struct Bucket: Decodable {
    var startMicroseconds: Int64
    var endMicroseconds: Int64
    var origin: DataSource?
    var count: Int
    var sum: Double?
    var average: Double?
    var minimum: Double?
    var maximum: Double?
    var mostRecent: Double?
    var mostRecentStartMicroseconds: Int64?
    var mostRecentEndMicroseconds: Int64?
    var durationMicroseconds: Int64?
    var coveredMicroseconds: Int64
    var gapMicroseconds: Int64
    var origins: [DataSource]
    var weights: [Double]
    var policy: String
    var longestGapMicroseconds: Int64?
    var styleVersion: Int
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      if let end: Complete = try? JSONLine.decode(line) {
        isComplete = end.complete
      } else {
        buckets.append(try Self.statistics(JSONLine.decode(line)))
      }
    }
  }

  private static func statistics(_ bucket: Bucket) throws(ClientError) -> Statistics {
    let gap = bucket.longestGapMicroseconds ?? WeightingPolicy.standardGapMicroseconds
    let policy: WeightingPolicy
    switch bucket.policy {
    case "ownDuration": policy = .ownDuration
    case "holdLast": policy = .holdLast(maximumGapMicroseconds: gap)
    case "trapezoid": policy = .trapezoid(maximumGapMicroseconds: gap)
    default: throw .unreadable
    }
    let recent = bucket.mostRecentStartMicroseconds.flatMap { start in
      TimeSpan(
        start: Timestamp(microseconds: start),
        end: Timestamp(microseconds: bucket.mostRecentEndMicroseconds ?? start))
    }
    var statistics = Statistics(
      emptyFrom: Timestamp(microseconds: bucket.startMicroseconds),
      to: Timestamp(microseconds: bucket.endMicroseconds), source: bucket.origin,
      coverage: TimeCoverage(covered: bucket.coveredMicroseconds, gaps: bucket.gapMicroseconds), policy: policy,
      styleVersion: bucket.styleVersion)
    statistics.count = bucket.count
    statistics.sum = bucket.sum
    statistics.average = bucket.average
    statistics.minimum = bucket.minimum
    statistics.maximum = bucket.maximum
    statistics.mostRecent = bucket.mostRecent
    statistics.mostRecentSpan = recent
    statistics.duration = bucket.durationMicroseconds
    statistics.sources = bucket.origins
    statistics.sourceWeights = bucket.weights
    return statistics
  }

  consuming func finish() throws(ClientError) -> [Statistics] {
    guard isComplete else { throw .cutOff }
    return buckets
  }
}
