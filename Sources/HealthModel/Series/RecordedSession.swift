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
  /// The quality report: junk counts, battery, location, drift, latency …, keys as the recorder names them.
  public var quality: Metadata

  /// Takes every part as it is.
  public init(
    id: UUID, syncVersion: Int64, device: Device, source: SourceRevision, start: Timestamp, end: Timestamp,
    endReason: String, metadata: Metadata = [:], rates: [HeartRateValue] = [],
    heartbeats: HeartbeatSeries = HeartbeatSeries(), gaps: [RecordingGap] = [], coverage: Coverage? = nil,
    variability: HeartRateVariabilitySummary = HeartRateVariabilitySummary(), quality: Metadata = [:]
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

extension RecordedSession {
  /// The version of the algorithm that made beats, gaps and flags of what was received, as it stands in ``quality`` under
  /// ``algorithmVersionKey``; 0 where it does not.
  public var algorithmVersion: Int64 { Self.algorithmVersion(in: quality) }

  /// Where the quality report has the version of the algorithm.
  public static let algorithmVersionKey = "algorithmVersion"

  /// The version of the algorithm that a quality report names; 0 where it names none.
  public static func algorithmVersion(in quality: Metadata) -> Int64 {
    if case .integer(let version)? = quality[algorithmVersionKey] { version } else { 0 }
  }

  /// Where the quality report has how many intervals the sensor computed from its rate.
  public static let inventedIntervalsKey = "inventedIntervals"

  /// How many intervals of a session the sensor computed from its rate instead of measuring them, as its quality report has
  /// it; 0 where it says nothing. Such a session has rates and no beats.
  public static func inventedIntervals(in quality: Metadata) -> Int64 {
    if case .integer(let count)? = quality[inventedIntervalsKey] { count } else { 0 }
  }
}

/// The share of a session's time that its beats account for, between two bounds, each 0 to 1.
///
/// In a session without beats both are the share that its rates cover.
public struct Coverage: Hashable, Sendable, Codable {
  /// The least share: what lies between two beats without a gap.
  public var floor: Double
  /// The greatest share that the gaps allow.
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
