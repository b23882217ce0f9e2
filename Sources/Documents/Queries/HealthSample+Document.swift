import FoundationEssentials
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
    var members: [JSONValue.Member] = [
      .init("identifier", .string(source.identifier)), .init("name", .string(source.name)),
      .init("version", .string(source.version)),
    ]
    if let type = source.productType { members.append(.init("productType", .string(type))) }
    if let version = source.operatingSystemVersion {
      members.append(.init("operatingSystemVersion", .string(version)))
    }
    return members
  }
}

extension Device {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(name)), .init("address", .string(localIdentifier)),
      .init("manufacturer", .string(manufacturer)), .init("model", .string(model)),
    ]
    for (key, value) in [
      ("hardware", hardwareVersion), ("firmware", firmwareVersion), ("software", softwareVersion),
      ("udi", uniqueDeviceIdentifier),
    ] {
      if let value { members.append(.init(key, .string(value))) }
    }
    return .object(members)
  }
}

extension SampleSummary {
  fileprivate func json(unit: Unit?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("unit", .string(unit?.symbol)), .init("sum", .number(sum)), .init("average", .number(average)),
      .init("minimum", .number(minimum)), .init("maximum", .number(maximum)), .init("mostRecent", .number(mostRecent)),
      .init("mostRecentMicroseconds", .integer(mostRecentSpan.start.microseconds)),
    ]
    if mostRecentSpan.end != mostRecentSpan.start {
      members.append(.init("mostRecentEndMicroseconds", .integer(mostRecentSpan.end.microseconds)))
    }
    return .object(members)
  }
}

extension ChangeSet {
  /// Lines of JSON: `{"added":…}` for each sample, `{"deleted":{"id","type","source","time"}}` for each deletion, and at last
  /// `{"anchor","hasMore"}`. An answer without its last line was cut off.
  package func appendLines(to bytes: inout [UInt8]) {
    for sample in added { JSONValue.object([.init("added", sample.json)]).appendLine(to: &bytes) }
    for object in deleted {
      let members: JSONValue = [
        "id": .string(object.id.uuidString.lowercased()), "type": .string(object.type?.identifier),
        "source": .string(object.source), "time": .string(object.deleted.iso8601()),
      ]
      JSONValue.object([.init("deleted", members)]).appendLine(to: &bytes)
    }
    let end: JSONValue = ["anchor": .string(anchor.description), "hasMore": .bool(hasMore)]
    end.appendLine(to: &bytes)
  }
}

extension MetadataValue {
  /// An object of one member, which names the kind, as everywhere in JSON: `{"text":"left arm"}`. A time is in microseconds
  /// since 1970, a quantity has `value` and `unit`.
  package var tagged: JSONValue {
    switch self {
    case .text(let text): ["text": .string(text)]
    case .integer(let integer): ["integer": .integer(integer)]
    case .real(let real): ["real": .number(real)]
    case .flag(let flag): ["flag": .bool(flag)]
    case .time(let time): ["time": .integer(time.microseconds)]
    case .quantity(let quantity):
      ["quantity": ["value": .number(quantity.value), "unit": .string(quantity.unit.symbol)]]
    }
  }

  /// The value alone, as reports of one recording have it; a time is ISO 8601.
  package var plain: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real)
    case .flag(let flag): .bool(flag)
    case .time(let time): .string(time.iso8601())
    case .quantity(let quantity): ["value": .number(quantity.value), "unit": .string(quantity.unit.symbol)]
    }
  }
}
