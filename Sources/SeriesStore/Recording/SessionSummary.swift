package import FoundationEssentials
package import HealthModel

/// What a list of sessions shows: everything about a session but its values.
package struct SessionSummary: Hashable, Sendable {
  /// The session's identity.
  package var id: UUID
  /// Which save of the session it is; the number of notifications for recordings.
  package var syncVersion: Int64
  /// The hardware that measured.
  package var device: Device
  /// The program that saved it.
  package var source: SourceRevision
  /// When it begins.
  package var start: Timestamp
  /// When it ends.
  package var end: Timestamp
  /// Why it ended; see ``HealthModel/RecordedSession/endReason``.
  package var endReason: String
  /// What is known beside the values.
  package var metadata: Metadata
  /// The quality report.
  package var quality: QualityReport
  /// Its rates in figures.
  package var heartRate: HeartRateSummary
  /// Its beats in figures.
  package var heartbeats: HeartbeatSummary
  /// How many gaps it has, of beats or, where there are none, of rates.
  package var gapCount: Int
  /// The share of its time that beats account for or, in a session without any, rates; nil where it is unknown.
  package var coverage: Coverage?
  /// The figures of heart rate variability.
  package var variability: HeartRateVariabilitySummary

  /// Takes every part as it is.
  package init(
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
package struct HeartRateSummary: Hashable, Sendable {
  /// How many there are.
  package var count: Int
  /// Beats per minute: the plain mean, since the values have no duration.
  package var average: Double?
  /// The smallest value.
  package var minimum: Double?
  /// The greatest value.
  package var maximum: Double?
  /// The value that starts last.
  package var mostRecent: Double?
  /// When the last rate was measured.
  package var mostRecentTime: Timestamp?

  /// Takes every part as it is.
  package init(
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
package struct HeartbeatSummary: Hashable, Sendable {
  /// How many there are.
  package var count: Int
  /// Beats preceded by a gap, the session's first not counted.
  package var gaps: Int
  /// Stretches that are counted on one clock without a break.
  package var runs: Int

  /// Takes every part as it is.
  package init(count: Int = 0, gaps: Int = 0, runs: Int = 0) {
    self.count = count
    self.gaps = gaps
    self.runs = runs
  }
}
