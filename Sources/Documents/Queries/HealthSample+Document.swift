internal import FoundationEssentials
package import HealthModel

extension HealthSample {
  /// One sample for a program: everything but its values, and but the number of its change. Metadata are in the order of their
  /// keys; members that do not apply are left out.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(id.uuidString.lowercased())),
      .init("type", .string(type.identifier)),
      .init("kind", .string(type.kind.rawValue)),
      .init("start", .string(start.iso8601())),
      .init("end", .string(end.iso8601())),
      .init("startMicroseconds", .integer(start.microseconds)),
      .init("endMicroseconds", .integer(end.microseconds)),
      .init("count", .integer(count)),
      .init("source", .object(sourceMembers)),
    ]
    if let device { members.append(.init("device", device.json)) }
    if let value { members.append(.init("value", .integer(value))) }
    if let summary { members.append(.init("summary", summary.json(unit: type.quantityType?.unit))) }
    if let session { members.append(.init("session", .string(session.uuidString.lowercased()))) }
    if let syncIdentifier {
      members.append(.init("sync", ["identifier": .string(syncIdentifier), "version": .integer(syncVersion)]))
    }
    if !metadata.isEmpty {
      members.append(
        .init("metadata", .object(metadata.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.tagged) })))
    }
    return .object(members)
  }

  private var sourceMembers: [JSONValue.Member] {
    [
      .init("identifier", .string(source.identifier)), .init("name", .string(source.name)),
      .init("version", .string(source.version)),
    ]
  }
}

extension Device {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "address": .string(localIdentifier), "manufacturer": .string(manufacturer),
      "model": .string(model),
    ]
  }
}

extension SampleSummary {
  fileprivate func json(unit: Unit?) -> JSONValue {
    [
      "unit": .string(unit?.symbol), "sum": .number(sum), "average": .number(average), "minimum": .number(minimum),
      "maximum": .number(maximum), "mostRecent": .number(mostRecent),
      "mostRecentMicroseconds": .integer(mostRecentSpan.start.microseconds),
    ]
  }
}
