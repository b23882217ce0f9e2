import FoundationEssentials
import HealthModel

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
