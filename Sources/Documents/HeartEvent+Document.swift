internal import FoundationEssentials
package import HealthModel

extension HealthSample {
  /// The object of `events --json`; nil for a sample that is no heart event. Keys are stable.
  package var heartEventJSON: JSONValue? {
    guard let span = TimeSpan(start: start, end: end), let event = HeartEvent(type, over: span, metadata: metadata)
    else { return nil }
    let hasRule = !event.rule.name.isEmpty
    return [
      "id": .string(id.uuidString.lowercased()), "kind": .string(event.kind.rawValue),
      "start": .string(start.iso8601()), "end": .string(end.iso8601()), "threshold": .number(event.threshold),
      "rule": hasRule ? .string(event.rule.name) : .null,
      "ruleVersion": hasRule ? .integer(event.rule.version) : .null,
      "session": .string(session?.uuidString.lowercased()), "source": .string(source.identifier),
    ]
  }
}
