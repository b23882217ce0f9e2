public import FoundationEssentials

/// Everything that a recording session leaves: what the recorder saves in one piece when the session ends.
public struct RecordedSession: Hashable, Sendable, Codable {
  /// The session's identity, also its sync identifier: the same session is stored once, however often it is saved.
  public var id: UUID
  /// Of two saves of one session the one with the greater version stays; the number of notifications, for instance.
  public var syncVersion: Int64
  /// The hardware that measured.
  public var device: Device
  /// The program that saved it.
  public var source: SourceRevision
  /// When it begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// One of `shutdown`, `request`, `away`, `offSkin`, `rolled`, `captureEnd`, `recovered`.
  public var endReason: String
  /// What the person or the program that asked for the session said about it.
  public var metadata: Metadata
  /// Rates in the order of their arrival, times not decreasing. Equal times and equal values are all kept.
  public var rates: [HeartRateValue]
  /// The beats in their runs.
  public var heartbeats: HeartbeatSeries
  /// The stretches of which nothing is known, in order of time: between two beats, or two rates where there are no beats.
  public var gaps: [RecordingGap]
  /// Nil where it is unknown.
  public var coverage: Coverage?
  /// The figures of heart rate variability.
  public var variability: HeartRateVariabilitySummary
  /// What the recorder found out beside the values.
  public var quality: QualityReport

  /// Takes every part as it is.
  public init(
    id: UUID, syncVersion: Int64, device: Device, source: SourceRevision, start: Timestamp, end: Timestamp,
    endReason: String, metadata: Metadata = [:], rates: [HeartRateValue] = [],
    heartbeats: HeartbeatSeries = HeartbeatSeries(), gaps: [RecordingGap] = [], coverage: Coverage? = nil,
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
    self.coverage = coverage
    self.variability = variability
    self.quality = quality
  }
}

/// Which share of a session's time its beats account for; of a session without beats, which its rates do. Each 0 to 1.
///
/// Nobody can say it exactly, since beats may still have been in the sensor at both ends, and a long interval may be a
/// pause or missed beats: so there are two figures. Without beats they are one: each rate covers the time until the next
/// one or the session's end, at most ten seconds, and none after a loss or the first word of "off the skin".
public struct Coverage: Hashable, Sendable, Codable {
  /// The least share: time between neighbouring beats without a gap between them.
  public var floor: Double
  /// The greatest share: with the intervals that were received but form none between two seen beats, and up to three seconds at
  /// each end.
  public var ceiling: Double

  /// Takes every part as it is.
  public init(floor: Double, ceiling: Double) {
    self.floor = floor
    self.ceiling = ceiling
  }
}

/// The heart rate variability figures that are kept with a session; nil where the record does not allow one.
public struct HeartRateVariabilitySummary: Hashable, Sendable, Codable {
  /// Standard deviation of the NN intervals.
  public var sdnnMilliseconds: Double?
  /// Root mean square of successive differences of NN intervals.
  public var rmssdMilliseconds: Double?
  /// Share of successive differences above 50 ms, in percent.
  public var pnn50: Double?

  /// Takes every part as it is.
  public init(sdnnMilliseconds: Double? = nil, rmssdMilliseconds: Double? = nil, pnn50: Double? = nil) {
    self.sdnnMilliseconds = sdnnMilliseconds
    self.rmssdMilliseconds = rmssdMilliseconds
    self.pnn50 = pnn50
  }
}
