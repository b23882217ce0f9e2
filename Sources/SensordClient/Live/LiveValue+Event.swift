import DBus
import HealthModel

extension LiveValue {
  /// The arguments of `Live1.Event`; nil for others, and for a type that this library does not know.
  init?(event body: [Value]) {
    guard body.count == 4, let sensor = body[0].string, let start = body[1].int64, let end = body[2].int64,
      let details = body[3].properties, let type = details["type"]?.string,
      let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end)),
      let kind = HeartEvent.Kind(SampleType(identifier: type, kind: .category))
    else { return nil }
    let rule = HeartEvent.Rule(
      name: details["rule"]?.string ?? "", version: details["rule_version"]?.int64 ?? 0)
    self = .event(HeartEvent(kind, over: span, threshold: details["threshold"]?.double, rule: rule), sensor: sensor)
  }
}
