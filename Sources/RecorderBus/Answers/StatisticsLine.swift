import FoundationEssentials
package import HealthModel
package import Support

/// A bucket of statistics: the members of its form for people, and the exact times in microseconds, with the parts of each source.
package struct StatisticsLine: AnswerLine {
  private var startMicroseconds: Int64
  private var endMicroseconds: Int64
  private var origin: DataSource?
  private var count: Int
  private var sum: Double?
  private var average: Double?
  private var minimum: Double?
  private var maximum: Double?
  private var mostRecent: Double?
  private var mostRecentStartMicroseconds: Int64?
  private var mostRecentEndMicroseconds: Int64?
  private var durationMicroseconds: Int64?
  private var coveredMicroseconds: Int64
  private var gapMicroseconds: Int64
  private var origins: [DataSource]
  private var weights: [Double]
  private var policy: String
  private var longestGapMicroseconds: Int64?
  private var styleVersion: Int

  package static func json(_ statistics: Statistics) -> JSONValue {
    guard case .object(var members) = statistics.json else { return statistics.json }
    members += [
      .init("startMicroseconds", .integer(statistics.start.microseconds)),
      .init("endMicroseconds", .integer(statistics.end.microseconds)),
    ]
    if let source = statistics.source { members.append(.init("origin", source.json)) }
    members += [
      .init("mostRecentStartMicroseconds", .integer(statistics.mostRecentSpan?.start.microseconds)),
      .init("mostRecentEndMicroseconds", .integer(statistics.mostRecentSpan?.end.microseconds)),
      .init("durationMicroseconds", .integer(statistics.duration)),
      .init("coveredMicroseconds", .integer(statistics.coverage.covered)),
      .init("gapMicroseconds", .integer(statistics.coverage.gaps)),
      .init("origins", .array(statistics.sources.map(\.json))),
      .init("weights", .array(statistics.sourceWeights.map { .number($0) })),
      .init("longestGapMicroseconds", .integer(statistics.policy.maximumGapMicroseconds)),
      .init("styleVersion", .integer(statistics.styleVersion)),
    ]
    return .object(members)
  }

  package func read() throws(AnswerError) -> Statistics {
    let gap = longestGapMicroseconds ?? WeightingPolicy.standardGapMicroseconds
    let policy: WeightingPolicy
    switch self.policy {
    case "ownDuration": policy = .ownDuration
    case "holdLast": policy = .holdLast(maximumGapMicroseconds: gap)
    case "trapezoid": policy = .trapezoid(maximumGapMicroseconds: gap)
    default: throw .unreadable
    }
    let recent = mostRecentStartMicroseconds.flatMap { start in
      TimeSpan(
        start: Timestamp(microseconds: start),
        end: Timestamp(microseconds: mostRecentEndMicroseconds ?? start))
    }
    var statistics = Statistics(
      emptyFrom: Timestamp(microseconds: startMicroseconds),
      to: Timestamp(microseconds: endMicroseconds), source: origin,
      coverage: TimeCoverage(covered: coveredMicroseconds, gaps: gapMicroseconds), policy: policy,
      styleVersion: styleVersion)
    statistics.count = count
    statistics.sum = sum
    statistics.average = average
    statistics.minimum = minimum
    statistics.maximum = maximum
    statistics.mostRecent = mostRecent
    statistics.mostRecentSpan = recent
    statistics.duration = durationMicroseconds
    statistics.sources = origins
    statistics.sourceWeights = weights
    return statistics
  }
}

extension Statistics {
  /// One bucket for a program: times in UTC, the duration in seconds, the coverage from 0 to 1. Keys are stable.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("start", .string(start.iso8601())),
      .init("end", .string(end.iso8601())),
    ]
    if let source { members.append(.init("source", .string(source.description))) }
    members += [
      .init("count", .integer(count)), .init("sum", .number(sum)), .init("average", .number(average)),
      .init("minimum", .number(minimum)), .init("maximum", .number(maximum)),
      .init("mostRecent", .number(mostRecent)),
      .init("duration", .number(duration.map { Double($0) / 1_000_000 })),
      .init("coverage", .number(coverage.fraction)),
      .init("sources", .array(sources.map { .string($0.description) })),
      .init("policy", .string(policy.description)),
    ]
    return .object(members)
  }
}

extension DataSource {
  fileprivate var json: JSONValue { ["source": .string(source), "device": .string(device)] }
}
