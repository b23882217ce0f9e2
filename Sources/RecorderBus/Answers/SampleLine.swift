import FoundationEssentials
package import HealthModel
package import Support

/// A sample: everything but its values, and but the number of its change. Metadata are in the order of their keys; members that do
/// not apply are left out.
package struct SampleLine: AnswerLine {
  private var id: UUID
  private var type: String
  private var kind: SampleKind
  private var startMicroseconds: Int64
  private var endMicroseconds: Int64
  private var count: Int
  private var source: Source
  private var device: DeviceLine?
  private var value: Int64?
  private var summary: Summary?
  private var session: UUID?
  private var sync: SyncIdentity?
  private var metadata: Metadata?

  private struct Source: Decodable {
    var identifier: String
    var name: String
    var version: String?
    var productType: String?
    var operatingSystemVersion: String?
  }

  private struct DeviceLine: Decodable {
    var name: String?
    var address: String?
    var manufacturer: String?
    var model: String?
    var hardware: String?
    var firmware: String?
    var software: String?
    var udi: String?
  }

  private struct Summary: Decodable {
    var sum: Double?
    var average: Double?
    var minimum: Double
    var maximum: Double
    var mostRecent: Double
    var mostRecentMicroseconds: Int64
    var mostRecentEndMicroseconds: Int64?
  }

  package static func json(_ sample: HealthSample) -> JSONValue { sample.json }

  package func read() -> HealthSample {
    HealthSample(
      id: id, type: SampleType(identifier: type, kind: kind),
      source: SourceRevision(
        identifier: source.identifier, name: source.name, version: source.version, productType: source.productType,
        operatingSystemVersion: source.operatingSystemVersion),
      device: device.map {
        Device(
          name: $0.name, manufacturer: $0.manufacturer, model: $0.model, hardwareVersion: $0.hardware,
          firmwareVersion: $0.firmware, softwareVersion: $0.software, localIdentifier: $0.address,
          uniqueDeviceIdentifier: $0.udi)
      },
      start: Timestamp(microseconds: startMicroseconds), end: Timestamp(microseconds: endMicroseconds), count: count,
      value: value,
      summary: summary.map {
        let start = Timestamp(microseconds: $0.mostRecentMicroseconds)
        let end = $0.mostRecentEndMicroseconds.map { Timestamp(microseconds: $0) } ?? start
        return SampleSummary(
          sum: $0.sum, average: $0.average, minimum: $0.minimum, maximum: $0.maximum, mostRecent: $0.mostRecent,
          mostRecentSpan: TimeSpan(start: start, end: end) ?? TimeSpan(at: start))
      },
      metadata: metadata ?? [:], session: session, syncIdentifier: sync?.identifier, syncVersion: sync?.version,
      change: 0)
  }
}

extension HealthSample {
  fileprivate var json: JSONValue {
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
        .init("metadata", .object(metadata.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) })))
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

extension MetadataValue {
  /// An object of one member, which names the kind, as everywhere in JSON: `{"text":"left arm"}`. A time is in microseconds
  /// since 1970, a quantity has `value` and `unit`.
  fileprivate var json: JSONValue {
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
}

/// A change: `{"added":…}` for each sample, `{"deleted":{"id","type","source","time"}}` for each deletion, and at last
/// `{"anchor","hasMore"}`. An answer without its last line was cut off.
package struct ChangeLine: Decodable {
  private var added: SampleLine?
  private var deleted: Deletion?
  private var anchor: String?
  private var hasMore: Bool?

  private struct Deletion: Decodable {
    var id: UUID
    var type: String?
    var source: String?
    var time: String
  }

  /// Appends the lines of changes.
  package static func append(_ changes: ChangeSet, to bytes: inout [UInt8]) {
    for sample in changes.added { JSONValue.object([.init("added", sample.json)]).appendLine(to: &bytes) }
    for object in changes.deleted {
      let members: JSONValue = [
        "id": .string(object.id.uuidString.lowercased()), "type": .string(object.type?.identifier),
        "source": .string(object.source), "time": .string(object.deleted.iso8601()),
      ]
      JSONValue.object([.init("deleted", members)]).appendLine(to: &bytes)
    }
    let end: JSONValue = ["anchor": .string(changes.anchor.description), "hasMore": .bool(changes.hasMore)]
    end.appendLine(to: &bytes)
  }

  /// Reads changes.
  package struct Reader: AnswerReader {
    private var added: [HealthSample] = []
    private var deleted: [DeletedObject] = []
    private var end: (anchor: ChangeAnchor, hasMore: Bool)?

    package init() {}

    package mutating func read(_ lines: ArraySlice<UInt8>) throws(AnswerError) {
      for line in JSONLine.split(lines) {
        let line: ChangeLine = try JSONLine.decode(line)
        if let sample = line.added?.read() {
          added.append(sample)
        } else if let object = line.deleted {
          try append(object)
        } else if let anchor = line.anchor.flatMap({ ChangeAnchor($0) }) {
          end = (anchor, line.hasMore ?? false)
        } else {
          throw .unreadable
        }
      }
    }

    private mutating func append(_ object: Deletion) throws(AnswerError) {
      guard let time = Timestamp(iso8601: object.time) else { throw .unreadable }
      let type = object.type.map {
        SampleType(identifier: $0) ?? SampleType(identifier: $0, kind: SampleKind(rawValue: "unknown"))
      }
      deleted.append(DeletedObject(id: object.id, type: type, source: object.source, deleted: time, change: 0))
    }

    package consuming func finish() throws(AnswerError) -> ChangeSet {
      guard let end else { throw .cutOff }
      return ChangeSet(added: added, sessions: [], deleted: deleted, anchor: end.anchor, hasMore: end.hasMore)
    }
  }
}
