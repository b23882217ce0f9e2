import FoundationEssentials
import HealthModel

/// Samples, a line each.
struct SampleAnswer: AnswerDecoder {
  private var samples: [HealthSample] = []
  private var isComplete = false

  private struct Complete: Decodable {
    var complete: Bool
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      if let end: Complete = try? JSONLine.decode(line) {
        isComplete = end.complete
      } else {
        let line: SampleLine = try JSONLine.decode(line)
        samples.append(line.sample)
      }
    }
  }

  consuming func finish() throws(ClientError) -> [HealthSample] {
    guard isComplete else { throw .cutOff }
    return samples
  }
}

/// A sample as a line of an answer has it; keys that are not known are ignored.
struct SampleLine: Decodable {
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

  var sample: HealthSample {
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

/// Changes: a line for each, and at last the anchor.
struct ChangeAnswer: AnswerDecoder {
  private var added: [HealthSample] = []
  private var deleted: [DeletedObject] = []
  private var end: (anchor: ChangeAnchor, hasMore: Bool)?

  private struct Line: Decodable {
    var added: SampleLine?
    var deleted: Deletion?
    var anchor: String?
    var hasMore: Bool?
  }

  private struct Deletion: Decodable {
    var id: UUID
    var type: String?
    var source: String?
    var time: String
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if let sample = line.added?.sample {
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

  private mutating func append(_ object: Deletion) throws(ClientError) {
    guard let time = Timestamp(iso8601: object.time) else { throw .unreadable }
    let type = object.type.map {
      SampleType(identifier: $0) ?? SampleType(identifier: $0, kind: SampleKind(rawValue: "unknown"))
    }
    deleted.append(DeletedObject(id: object.id, type: type, source: object.source, deleted: time, change: 0))
  }

  consuming func finish() throws(ClientError) -> ChangeSet {
    guard let end else { throw .cutOff }
    return ChangeSet(added: added, sessions: [], deleted: deleted, anchor: end.anchor, hasMore: end.hasMore)
  }
}
