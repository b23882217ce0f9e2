public import FoundationEssentials
public import HealthModel

/// What a list of sessions shows: everything about a session but its values.
public struct SessionSummary: Hashable, Sendable, Codable {
  /// The session's identity.
  public var id: UUID
  /// Which save of the session it is; the number of notifications for recordings.
  public var syncVersion: Int64
  /// The hardware that measured.
  public var device: Device
  /// The program that saved it.
  public var source: SourceRevision
  /// When it begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// Why it ended; see ``HealthModel/RecordedSession/endReason``.
  public var endReason: String
  /// What is known beside the values.
  public var metadata: Metadata
  /// The quality report.
  public var quality: QualityReport
  /// Its rates in figures.
  public var heartRate: HeartRateSummary
  /// Its beats in figures.
  public var heartbeats: HeartbeatSummary
  /// How many gaps it has, of beats or, where there are none, of rates.
  public var gapCount: Int
  /// The share of its time that beats account for or, in a session without any, rates; nil where it is unknown.
  public var coverage: Coverage?
  /// The figures of heart rate variability.
  public var variability: HeartRateVariabilitySummary

  /// Takes every part as it is.
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

/// The rates of a session in figures; all but the count nil where there are none.
public struct HeartRateSummary: Hashable, Sendable, Codable {
  /// How many there are.
  public var count: Int
  /// Beats per minute: the plain mean, since the values have no duration.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double?
  /// The greatest value.
  public var maximum: Double?
  /// The value that starts last.
  public var mostRecent: Double?
  /// When the last rate was measured.
  public var mostRecentTime: Timestamp?

  /// Takes every part as it is.
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

/// The beats of a session in figures.
public struct HeartbeatSummary: Hashable, Sendable, Codable {
  /// How many there are.
  public var count: Int
  /// Beats preceded by a gap, the session's first not counted.
  public var gaps: Int
  /// Stretches that are counted on one clock without a break.
  public var runs: Int

  /// Takes every part as it is.
  public init(count: Int = 0, gaps: Int = 0, runs: Int = 0) {
    self.count = count
    self.gaps = gaps
    self.runs = runs
  }
}
