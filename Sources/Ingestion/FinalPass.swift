import FoundationEssentials
public import Captures
import GATTHeartRate
public import HealthModel
import HeartRateRecording
import Sensors

/// From what was received to what is stored: the one way, for a recording and for its replay.
public enum FinalPass {
  /// The version of the algorithm that makes beats, gaps and flags of what was received.
  public static let algorithmVersion = Int64(SessionTimeline.algorithmVersion)

  /// Works out the session of `capture`.
  ///
  /// - Parameters:
  ///   - capture: One session as it was received.
  ///   - version: The version of this program, kept as the session's source beside the capture's own.
  /// - Returns: What is to be stored.
  /// - Throws: ``SeriesError`` where the timeline breaks the store's rules, which is a defect of this program.
  public static func session(of capture: Capture, version: String) throws(SeriesError) -> RecordedSession {
    let timeline = SessionTimeline(log: capture.log)
    let series = try heartbeats(timeline)
    let start = Timestamp(microseconds: timeline.startMicroseconds)
    let span = TimeSpan(start: start, end: Timestamp(microseconds: timeline.endMicroseconds)) ?? TimeSpan(at: start)
    return RecordedSession(
      id: capture.session,
      syncVersion: Int64(capture.notificationCount),
      device: device(capture.sensor, timeline.sensor),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: version),
      start: start,
      end: Timestamp(microseconds: timeline.endMicroseconds),
      endReason: (timeline.endReason ?? .captureEnd).rawValue,
      metadata: metadata(capture.header),
      rates: rates(timeline.rates),
      heartbeats: series,
      gaps: timeline.gaps.map(RecordingGap.init),
      coverage: timeline.coverage.map { HealthModel.Coverage(floor: $0.floor, ceiling: $0.ceiling) },
      variability: SessionVariability.summary(of: series, in: span),
      quality: timeline.report)
  }

  private static func device(_ sensor: SensorIdentity, _ facts: SensorFacts) -> Device {
    Device(
      name: sensor.name,
      manufacturer: facts.information[.manufacturerName],
      model: facts.information[.modelNumber],
      hardwareVersion: facts.information[.hardwareRevision],
      firmwareVersion: facts.information[.firmwareRevision],
      softwareVersion: facts.information[.softwareRevision],
      localIdentifier: sensor.address?.description,
      uniqueDeviceIdentifier: facts.information[.serialNumber])
  }

  private static func metadata(_ header: CaptureHeader) -> Metadata {
    var metadata = header.metadata.mapValues(MetadataValue.init)
    if let previous = header.linkedTo { metadata["linkedTo"] = .text(previous.uuidString) }
    metadata["recordedBy"] = .text(header.source)
    return metadata
  }

  /// The rates in the model's form.
  private static func rates(_ table: HeartRateTable) -> [HealthModel.HeartRateValue] {
    var rates: [HealthModel.HeartRateValue] = []
    rates.reserveCapacity(table.count)
    table.forEach { rates.append(HealthModel.HeartRateValue($0)) }
    return rates
  }

  /// The beats in the model's form: ticks and a map for each run, and each beat's own time where the map differs.
  private static func heartbeats(_ timeline: SessionTimeline) throws(SeriesError) -> HeartbeatSeries {
    let table = timeline.beats
    guard !table.isEmpty else { return HeartbeatSeries() }
    var builder = HeartbeatSeriesBuilder(timescale: 1024)
    builder.reserveCapacity(table.count)
    for run in timeline.runs {
      try builder.beginRun(
        AffineTimeMap(
          anchor: Timestamp(microseconds: run.map.anchorMicroseconds),
          slopePartsPerBillion: run.map.slopePartsPerBillion,
          uncertaintyMicroseconds: run.map.uncertaintyMicroseconds))
      for position in run.beats {
        try builder.add(
          rrTicks: UInt32(table.rrTicks[position]),
          precededByGap: table.precededByGap[position],
          flags: HealthModel.Heartbeat.Flags(rawValue: table.flags[position].rawValue),
          at: Timestamp(microseconds: table.wallMicroseconds[position]))
      }
    }
    return try builder.finish()
  }
}

extension MetadataValue {
  fileprivate init(_ value: CaptureMetadataValue) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .boolean(let flag): .flag(flag)
      case .time(let microseconds): .time(Timestamp(microseconds: microseconds))
      }
  }
}

extension HealthModel.HeartRateValue {
  fileprivate init(_ value: HeartRateRecording.HeartRateValue) {
    let contact: SensorContact =
      switch value.contact {
      case .notSupported: .notSupported
      case .notDetected: .notDetected
      case .detected: .detected
      }
    self.init(
      time: Timestamp(microseconds: value.wallMicroseconds), beatsPerMinute: value.beatsPerMinute, contact: contact,
      energyKilojoules: value.energyKilojoules)
  }
}

extension RecordingGap {
  fileprivate init(_ gap: SessionGap) {
    self.init(
      reason: gap.reason.token, detail: gap.reason.detail, start: Timestamp(microseconds: gap.startMicroseconds),
      end: Timestamp(microseconds: gap.endMicroseconds), estimatedLostBeats: Double(gap.estimatedLostBeats))
  }
}
