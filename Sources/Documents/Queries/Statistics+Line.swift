package import HealthModel

extension Statistics {
  /// A bucket as the line of an answer: what ``json`` has, and the same exactly, in microseconds, with the parts of each source.
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
