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
}

/// The beats of a session in figures.
public struct HeartbeatSummary: Hashable, Sendable {
  public var count: Int
  /// Beats preceded by a gap, the session's first not counted.
  public var gaps: Int
  public var runs: Int
}
