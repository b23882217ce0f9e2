public import FoundationEssentials
public import HealthModel

/// What a list of sessions shows: everything about a session but its values.
public struct SessionSummary: Hashable, Sendable {
  public var id: UUID
  public var syncVersion: Int64
  public var device: Device
  public var source: SourceRevision
  public var start: Timestamp
  public var end: Timestamp
  public var endReason: String
  public var metadata: Metadata
  public var quality: Metadata
  public var heartRate: HeartRateSummary
  public var heartbeats: HeartbeatSummary
  public var coverage: Coverage?
  public var variability: HeartRateVariabilitySummary

  public init(
    id: UUID, syncVersion: Int64, device: Device, source: SourceRevision, start: Timestamp, end: Timestamp,
    endReason: String, metadata: Metadata = [:], quality: Metadata = [:],
    heartRate: HeartRateSummary = HeartRateSummary(), heartbeats: HeartbeatSummary = HeartbeatSummary(),
    coverage: Coverage? = nil, variability: HeartRateVariabilitySummary = HeartRateVariabilitySummary()
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
    self.coverage = coverage
    self.variability = variability
  }
}

/// The rates of a session in figures; all but the count nil where there are none.
public struct HeartRateSummary: Hashable, Sendable {
  public var count: Int
  /// Beats per minute: the plain mean, since the values have no duration.
  public var average: Double?
  public var minimum: Double?
  public var maximum: Double?
  public var mostRecent: Double?
  public var mostRecentTime: Timestamp?

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
public struct HeartbeatSummary: Hashable, Sendable {
  public var count: Int
  /// Beats preceded by a gap, the session's first not counted.
  public var gaps: Int
  public var runs: Int

  public init(count: Int = 0, gaps: Int = 0, runs: Int = 0) {
    self.count = count
    self.gaps = gaps
    self.runs = runs
  }
}
