package import FoundationEssentials
package import HealthModel

/// Everything that was measured in a session, or while a workout lasted.
package struct RecordedValues: Sendable {
  package var id: UUID
  package var device: Device
  package var source: SourceRevision
  package var span: TimeSpan
  /// In order of time.
  package var rates: [HeartRateValue]
  /// Of several sessions in a workout, those of the one with the most beats in its time: two straps are no one heart beating twice.
  package var heartbeats: HeartbeatSeries
  /// Of the session that has the beats.
  package var gaps: [RecordingGap]
  /// The workout; nil for a session.
  package var workout: Workout?
  /// Of the session; empty for a workout, which has its own.
  package var metadata: Metadata = [:]
}
