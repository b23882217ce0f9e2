import FoundationEssentials
import HealthModel
import Timeline

/// Makes captures from the connections of a foreign file: one for each sensor that sent a heart rate.
///
/// Instants are the file's wall times, so the wall clock's offset is 0. All forms of one recording, and a part of it with
/// the same beginning, give the same session. Its UUID is made from the sensor's address (or the connection's handle, if
/// the file has no address) and the microsecond of the first notification.
struct ForeignCapture {
  /// The namespace of the sessions' UUIDs. A random UUID that must never change: the identity of all such sessions
  /// depends on this namespace.
  static let namespace = UUID(
    uuid: (0x8E, 0x1D, 0x35, 0xB4, 0x70, 0x5C, 0x4F, 0x0E, 0x9A, 0x63, 0x2C, 0xD8, 0x4B, 0x91, 0xE7, 0x26))
  private static let source = "Bluetooth HCI capture"

  private let trace: HCITrace
  /// The handle of 0x2A37 for connections whose discovery is not in the file.
  private let givenHandle: UInt16?

  init(_ trace: HCITrace, handle: UInt16?) {
    self.trace = trace
    givenHandle = handle
  }

  /// The captures, one for each sensor, in the order of their first packets; `dropped` is the number of packets missing
  /// in the file.
  func captures(dropped: Int) -> [Capture] {
    var order: [Sensor] = []
    var connections: [Sensor: [HCITrace.Connection]] = [:]
    for (index, connection) in trace.connections.enumerated() {
      let sensor = connection.address.map(Sensor.address) ?? .connection(index)
      if connections[sensor] == nil { order.append(sensor) }
      connections[sensor, default: []].append(connection)
    }
    return order.compactMap { capture(connections[$0] ?? [], dropped: dropped) }
  }

  /// Handles that notify and whose characteristic is unknown, those with the most notifications first.
  var candidates: [CaptureError.HandleCandidate] {
    var counts: [UInt16: Int] = [:]
    for connection in trace.connections {
      for value in connection.attributes.values
      where value.isNotification && connection.attributes.characteristics[value.handle] == nil {
        counts[value.handle, default: 0] += 1
      }
    }
    return counts.map { CaptureError.HandleCandidate(handle: $0.key, notifications: $0.value) }
      .sorted { ($1.notifications, $0.handle) < ($0.notifications, $1.handle) }
  }

  private enum Sensor: Hashable {
    case address(SensorAddress)
    case connection(Int)
  }

  private func capture(_ connections: [HCITrace.Connection], dropped: Int) -> Capture? {
    var name: String?
    var events: [SensorEvent] = []
    for (index, connection) in connections.enumerated() {
      let known = characteristics(of: index, in: connections)
      if let connected = connection.connected { events.append(event(.connected, connected)) }
      for value in connection.attributes.values {
        guard let characteristic = value.characteristic ?? known[value.handle] else { continue }
        if characteristic == AttributeTrace.Characteristic.deviceName {
          name = String(decoding: value.bytes, as: UTF8.self)
        } else if let kind = Self.kind(value, characteristic) {
          events.append(event(kind, value.microseconds))
        }
      }
      if let (microseconds, reason) = connection.disconnected {
        events.append(event(.disconnected(reason: reason), microseconds))
      }
    }
    guard let connection = connections.first, let first = events.first, let last = events.last,
      let firstNotification = events.first(where: { if case .measurement = $0.kind { true } else { false } })
    else { return nil }
    let identity = connection.address.map { "\($0)" } ?? "handle \(connection.handle)"
    let session = UUID(name: "\(identity) \(firstNotification.instant.microseconds)", in: Self.namespace)
    events.insert(
      contentsOf: [
        SensorEvent(.boot(Self.boot(session)), at: first.instant),
        SensorEvent(.clock(wallMinusBootMicroseconds: 0), at: first.instant),
      ], at: 0)
    events.append(SensorEvent(.ended(.captureEnd), at: last.instant))
    let header = CaptureHeader(
      session: session, sensor: SensorIdentity(address: connection.address, name: name), source: Self.source,
      metadata: dropped > 0 ? ["droppedPackets": .integer(Int64(dropped))] : [:])
    return Capture(header: header, events: events)
  }

  /// The characteristics of a connection's handles, if its own discovery does not show them. A host remembers them, so they
  /// are those of the sensor's connection before, else of the next one.
  private func characteristics(of index: Int, in connections: [HCITrace.Connection]) -> [UInt16: UInt16] {
    let own = connections[index].attributes
    guard !own.knowsHeartRate else { return own.characteristics }
    if let givenHandle {
      return own.characteristics.merging([givenHandle: AttributeTrace.Characteristic.heartRateMeasurement]) { $1 }
    }
    let others = connections[..<index].reversed() + connections[(index + 1)...]
    guard let other = others.first(where: \.attributes.knowsHeartRate) else { return own.characteristics }
    return other.attributes.characteristics.merging(own.characteristics) { $1 }
  }

  private static func kind(_ value: AttributeTrace.Value, _ characteristic: UInt16) -> SensorEvent.Kind? {
    switch characteristic {
    case AttributeTrace.Characteristic.heartRateMeasurement:
      value.isNotification ? .measurement(value.bytes) : nil
    case AttributeTrace.Characteristic.batteryLevel:
      value.bytes.first.map { .battery(percent: $0) }
    case AttributeTrace.Characteristic.bodySensorLocation:
      value.bytes.first.map { .location($0) }
    default:
      DeviceInformationField(rawValue: characteristic).map { field in
        .information(field, String(decoding: value.bytes, as: UTF8.self))
      }
    }
  }

  private func event(_ kind: SensorEvent.Kind, _ microseconds: Int64) -> SensorEvent {
    // Times that no clock can show are clamped to the limit, so that the packet is kept.
    let times = RecordLine.times
    return SensorEvent(
      kind, at: BootInstant(microseconds: min(max(microseconds, times.lowerBound), times.upperBound)))
  }

  /// Makes a boot identifier from the session's UUID, since a foreign file has none, so that its instants belong to no
  /// other boot.
  private static func boot(_ session: UUID) -> BootIdentifier {
    let bytes = session.uuid
    let high = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7]
    let low = [bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15]
    return BootIdentifier(
      high: high.reduce(0) { $0 << 8 | UInt64($1) }, low: low.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
