public import FoundationEssentials
public import Sensors
import Synchronization

/// Live workouts: what was asked of one is in the journal before that is answered, so that it outlives its program, the recorder
/// and, from the next sync on, the power.
extension Journal {
  /// Begins a workout: writes its description, its metadata and its first records, with one write.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the workout is not known then, also where too many were begun.
  public func open(
    _ workout: LiveWorkout, metadata: [String: CaptureMetadataValue] = [:], records: [WorkoutRecord]
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.open(workout, metadata: metadata, records)
    }
  }

  /// Appends records of a workout and metadata, all or nothing, with one write.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`: nothing of this is in the journal.
  public func append(
    _ records: [WorkoutRecord], metadata: [String: CaptureMetadataValue] = [:], toWorkout workout: UUID
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(records, metadata: metadata, to: workout)
    }
  }

  /// The sessions of a sensor that the store is not known to have, open or not.
  public func uncommittedSessions(of sensor: SensorAddress) -> Set<UUID> {
    state.withLock { state in
      Set(state.sessions.values.lazy.filter { !$0.isCommitted && $0.header.sensor.address == sensor }.map(\.identifier))
    }
  }
}
