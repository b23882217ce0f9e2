public import FoundationEssentials

/// A whole recording session, which the recorder saves at once when the session ends.
public struct RecordedSession: Hashable, Sendable, Codable {
  /// The session's identity, also its sync identifier: however often it is saved, it is stored once.
  public var id: UUID
  /// The version of the save, for instance the number of notifications. Of two saves of one session, the one with the greater
  /// version is stored.
  public var syncVersion: Int64
  /// The hardware that measured.
  public var device: Device
  /// The program that saved the session.
  public var source: SourceRevision
  /// The start of the session.
  public var start: Timestamp
  /// The end of the session.
  public var end: Timestamp
  /// The reason for the end: one of `shutdown`, `request`, `clientGone`, `away`, `offSkin`, `rolled`, `captureEnd`, `recovered`;
  /// `imported` for a session from a file of another program.
  public var endReason: String
  /// Metadata from the person or program that requested the session.
  public var metadata: Metadata
  /// Rates in order of arrival, times not decreasing, repeated times and values included.
  public var rates: [HeartRateValue]
  /// The beats in their runs.
  public var heartbeats: HeartbeatSeries
  /// The gaps in order of time: between two beats, or between two rates where there are no beats.
  public var gaps: [RecordingGap]
  /// The marked points, in order of time.
  public var markers: [SessionMarker]
  /// The share of the time that the beats, or else the rates, account for; nil where it is unknown.
  public var coverage: Coverage?
  /// Figures of heart rate variability.
  public var variability: HeartRateVariabilitySummary
  /// The recorder's findings about the session beside its values.
  public var quality: QualityReport

  /// A session with the given parts, which are not checked.
  public init(
    id: UUID, syncVersion: Int64, device: Device, source: SourceRevision, start: Timestamp, end: Timestamp,
    endReason: String, metadata: Metadata = [:], rates: [HeartRateValue] = [],
    heartbeats: HeartbeatSeries = HeartbeatSeries(), gaps: [RecordingGap] = [],
    markers: [SessionMarker] = [], coverage: Coverage? = nil,
    variability: HeartRateVariabilitySummary = HeartRateVariabilitySummary(), quality: QualityReport = QualityReport()
  ) {
    self.id = id
    self.syncVersion = syncVersion
    self.device = device
    self.source = source
    self.start = start
    self.end = end
    self.endReason = endReason
    self.metadata = metadata
    self.rates = rates
    self.heartbeats = heartbeats
    self.gaps = gaps
    self.markers = markers
    self.coverage = coverage
    self.variability = variability
    self.quality = quality
  }
}

/// The share of a session's time that its beats account for (without beats, its rates). Both figures are 0 to 1.
///
/// The exact share is unknown, since beats may still have been in the sensor at the end, and a long interval may be a
/// pause or missed beats; so there are two figures. Without beats they are equal: each rate covers the time until the next
/// rate or the session's end, at most ten seconds, and ends at a loss or a report of "off the skin".
public struct Coverage: Hashable, Sendable, Codable {
  /// The lower bound: time between successive beats without a gap between them.
  public var floor: Double
  /// The upper bound: also counts intervals that were received but lie between no two received beats, and up to three
  /// seconds after the last beat.
  public var ceiling: Double

  /// Coverage with the given bounds.
  public init(floor: Double, ceiling: Double) {
    self.floor = floor
    self.ceiling = ceiling
  }
}

/// The variability figures stored with a session; nil where the recording does not allow one.
public struct HeartRateVariabilitySummary: Hashable, Sendable, Codable {
  /// Standard deviation of the NN intervals.
  public var sdnnMilliseconds: Double?
  /// Root mean square of successive differences of NN intervals.
  public var rmssdMilliseconds: Double?
  /// Share of successive differences above 50 ms, in percent.
  public var pnn50: Double?

  /// A summary with the given figures.
  public init(sdnnMilliseconds: Double? = nil, rmssdMilliseconds: Double? = nil, pnn50: Double? = nil) {
    self.sdnnMilliseconds = sdnnMilliseconds
    self.rmssdMilliseconds = rmssdMilliseconds
    self.pnn50 = pnn50
  }
}

/// A heart rate as a sensor sent it, with the time of its arrival.
public struct HeartRateValue: Hashable, Sendable, Codable {
  /// The time at which the notification was read. Stored to the millisecond, rounded down.
  public var time: Timestamp
  /// Beats per minute, as received: 1 to 65535.
  public var beatsPerMinute: UInt16
  /// Skin contact as reported by the sensor.
  public var contact: SensorContact
  /// Energy expended since the sensor's last reset, in kilojoules, if this notification has it; 65535 means overflow.
  public var energyKilojoules: UInt16?

  /// A rate; contact and energy default to unknown.
  public init(
    time: Timestamp, beatsPerMinute: UInt16, contact: SensorContact = .notSupported, energyKilojoules: UInt16? = nil
  ) {
    self.time = time
    self.beatsPerMinute = beatsPerMinute
    self.contact = contact
    self.energyKilojoules = energyKilojoules
  }
}

/// Skin contact as reported with a value (Heart Rate Service 1.0, flag bits 1 and 2).
public enum SensorContact: UInt8, Hashable, Sendable, CaseIterable, Codable {
  case notSupported = 0
  case notDetected = 1
  case detected = 2
}

/// A stretch of a session in which beats or rates may have been lost, with the reason.
public struct RecordingGap: Hashable, Sendable, Codable {
  /// The reason: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`, `silence`, or
  /// `clientSession` where a program's session has the values; in an imported session also `stopped`. BlueZ's explanation is
  /// in ``detail``.
  public var reason: String
  /// An explanation beside the reason.
  public var detail: String?
  /// The start of the gap.
  public var start: Timestamp
  /// The end of the gap.
  public var end: Timestamp
  /// The number of lost beats, estimated from the neighbouring intervals or rates; nil without an estimate.
  public var estimatedLostBeats: Double?

  /// A gap with the given parts.
  public init(
    reason: String, detail: String? = nil, start: Timestamp, end: Timestamp, estimatedLostBeats: Double? = nil
  ) {
    self.reason = reason
    self.detail = detail
    self.start = start
    self.end = end
    self.estimatedLostBeats = estimatedLostBeats
  }
}

/// A marked point in time of a recording session: the level of a game, for instance.
public struct SessionMarker: Hashable, Sendable, Codable {
  /// The marked point.
  public var time: Timestamp
  /// The text of the marker, unchanged: text of another program.
  public var text: String

  /// A marker with the given parts.
  public init(time: Timestamp, text: String) {
    self.time = time
    self.text = text
  }
}
