public import Captures
import FoundationEssentials
public import HealthModel
import Timeline

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
    var metadata = header.metadata.stored
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

extension Metadata {
  /// The metadata for the store: a quantity in a unit that only a later version knows becomes its number.
  var stored: Metadata {
    mapValues { value in
      guard case .quantity(let quantity) = value, !quantity.unit.isKnown else { return value }
      return .real(quantity.value)
    }
  }
}
