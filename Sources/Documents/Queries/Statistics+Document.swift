package import HealthModel

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

extension Statistics {
  /// A bucket as the line of an answer: the members of ``json``, and the exact times in microseconds, with the parts of each
  /// source.
  package var line: JSONValue {
    guard case .object(var members) = json else { return json }
    members += [
      .init("startMicroseconds", .integer(start.microseconds)), .init("endMicroseconds", .integer(end.microseconds)),
    ]
    if let source { members.append(.init("origin", source.json)) }
    members += [
      .init("mostRecentStartMicroseconds", .integer(mostRecentSpan?.start.microseconds)),
      .init("mostRecentEndMicroseconds", .integer(mostRecentSpan?.end.microseconds)),
      .init("durationMicroseconds", .integer(duration)), .init("coveredMicroseconds", .integer(coverage.covered)),
      .init("gapMicroseconds", .integer(coverage.gaps)), .init("origins", .array(sources.map(\.json))),
      .init("weights", .array(sourceWeights.map { .number($0) })),
      .init("longestGapMicroseconds", .integer(policy.maximumGapMicroseconds)),
      .init("styleVersion", .integer(styleVersion)),
    ]
    return .object(members)
  }
}

extension DataSource {
  fileprivate var json: JSONValue { ["source": .string(source), "device": .string(device)] }
}
