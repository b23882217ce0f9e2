import FoundationEssentials
public import Captures
public import HealthModel
import HeartRateRecording
import Sensors

extension RecordedSession {
  /// Works out the session of a capture: the final pass, the one way from what was received to what is stored, for a recording
  /// and for its replay.
  ///
  /// - Parameters:
  ///   - capture: One session as it was received.
  ///   - version: The version of this program, stored as the session's source beside the capture's own.
  /// - Throws: ``SeriesError`` where the beats make no series, which is a defect of this program.
  public init(of capture: Capture, version: String) throws(SeriesError) {
    let timeline = try SessionTimeline(log: capture.log)
    let span = TimeSpan(start: timeline.start, end: timeline.end) ?? TimeSpan(at: timeline.start)
    self.init(
      id: capture.session,
      syncVersion: Int64(capture.notificationCount),
      device: Self.device(capture.sensor, timeline.information),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: version),
      start: timeline.start,
      end: timeline.end,
      endReason: (timeline.endReason ?? .captureEnd).rawValue,
      metadata: Self.metadata(capture.header),
      rates: timeline.rates,
      heartbeats: timeline.heartbeats,
      gaps: timeline.gaps,
      markers: timeline.markers,
      coverage: timeline.coverage,
      variability: HeartRateVariabilitySummary(of: timeline.heartbeats, in: span),
      quality: timeline.quality)
  }

  private static func device(_ sensor: SensorIdentity, _ information: [DeviceInformationField: String]) -> Device {
    Device(
      name: sensor.name,
      manufacturer: information[.manufacturerName],
      model: information[.modelNumber],
      hardwareVersion: information[.hardwareRevision],
      firmwareVersion: information[.firmwareRevision],
      softwareVersion: information[.softwareRevision],
      localIdentifier: sensor.address?.description,
      uniqueDeviceIdentifier: information[.serialNumber])
  }

  private static func metadata(_ header: CaptureHeader) -> Metadata {
    var metadata = header.metadata.mapValues(MetadataValue.init)
    // Metadata from a program do not replace the recorder's own.
    metadata[ReservedMetadata.linkedTo] = header.linkedTo.map { .text($0.uuidString) }
    metadata[ReservedMetadata.recordedBy] = .text(header.source)
    metadata[ReservedMetadata.requestedBy] = header.request.map {
      .text(ClientIdentity(uid: $0.uid, application: $0.application).source)
    }
    metadata[ReservedMetadata.interrupted] = nil
    return metadata
  }
}

extension CaptureMetadataValue {
  init(_ value: MetadataValue) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .flag(let flag): .boolean(flag)
      case .time(let time): .time(microseconds: time.microseconds)
      case .quantity(let quantity): .quantity(quantity.value, unit: quantity.unit.symbol)
      }
  }
}

extension MetadataValue {
  init(_ value: CaptureMetadataValue) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .boolean(let flag): .flag(flag)
      case .time(let microseconds): .time(Timestamp(microseconds: microseconds))
      // A unit that only a later version knows.
      case .quantity(let number, let symbol): Unit(symbol).map { .quantity(Quantity(number, $0)) } ?? .real(number)
      }
  }
}
