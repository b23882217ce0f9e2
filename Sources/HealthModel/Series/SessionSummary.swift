public import FoundationEssentials

/// A session in a list: everything about it except its values.
public struct SessionSummary: Hashable, Sendable, Codable {
  /// The session's identity.
  public var id: UUID
  /// The version of the save; for recordings the number of notifications.
  public var syncVersion: Int64
  /// The hardware that measured.
  public var device: Device
  /// The program that saved the session.
  public var source: SourceRevision
  /// The start of the session.
  public var start: Timestamp
  /// The end of the session.
  public var end: Timestamp
  /// The reason for the end; see ``RecordedSession/endReason``.
  public var endReason: String
  /// Further metadata.
  public var metadata: Metadata
  /// The quality report.
  public var quality: QualityReport
  /// A summary of the rates.
  public var heartRate: HeartRateSummary
  /// A summary of the beats.
  public var heartbeats: HeartbeatSummary
  /// The number of gaps between beats or, where there are no beats, between rates.
  public var gapCount: Int
  /// The share of the time covered by beats or, in a session without beats, by rates; nil if unknown.
  public var coverage: Coverage?
  /// The figures of heart rate variability.
  public var variability: HeartRateVariabilitySummary

  /// A summary with the given parts.
  public init(
    id: UUID, syncVersion: Int64, device: Device, source: SourceRevision, start: Timestamp, end: Timestamp,
    endReason: String, metadata: Metadata = [:], quality: QualityReport = QualityReport(),
    heartRate: HeartRateSummary = HeartRateSummary(), heartbeats: HeartbeatSummary = HeartbeatSummary(),
    gapCount: Int = 0, coverage: Coverage? = nil,
    variability: HeartRateVariabilitySummary = HeartRateVariabilitySummary()
  ) {
    self.id = id
    self.syncVersion = syncVersion
    self.device = device
    self.source = source
    self.start = start
    self.end = end
    self.endReason = endReason
    self.metadata = metadata
    self.quality = quality
    self.heartRate = heartRate
    self.heartbeats = heartbeats
    self.gapCount = gapCount
    self.coverage = coverage
    self.variability = variability
  }
}

/// A summary of a session's rates; everything except the count is nil without rates.
public struct HeartRateSummary: Hashable, Sendable, Codable {
  /// The number of rates.
  public var count: Int
  /// Beats per minute: the plain mean, since the values have no duration.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double?
  /// The greatest value.
  public var maximum: Double?
  /// The last value.
  public var mostRecent: Double?
  /// The time at which the last rate arrived.
  public var mostRecentTime: Timestamp?

  /// A summary with the given parts.
  public init(
    count: Int = 0, average: Double? = nil, minimum: Double? = nil, maximum: Double? = nil, mostRecent: Double? = nil,
    mostRecentTime: Timestamp? = nil
  ) {
    self.count = count
    self.average = average
    self.minimum = minimum
    self.maximum = maximum
    self.mostRecent = mostRecent
    self.mostRecentTime = mostRecentTime
  }
}

/// A summary of a session's beats.
public struct HeartbeatSummary: Hashable, Sendable, Codable {
  /// The number of beats.
  public var count: Int
  /// Beats preceded by a gap, except the session's first.
  public var gaps: Int
  /// Stretches of beats on one clock without a break.
  public var runs: Int

  /// A summary with the given parts.
  public init(count: Int = 0, gaps: Int = 0, runs: Int = 0) {
    self.count = count
    self.gaps = gaps
    self.runs = runs
  }
}
