package import HealthModel

/// Why a live workout does not begin, do what it is asked for, or end.
package enum WorkoutRequestFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// No session of a sensor can begin for it: the sensor is not known or belongs to another session or workout, or none is
  /// measuring.
  case noSession(SessionRequestFailure)
  /// No such workout goes on: there never was one, or it is over.
  case notOpen
  /// Somebody discarded it while this was waited for.
  case discarded
  /// It cannot do that, in its state or at all; nothing has changed.
  case invalid(WorkoutError)
  /// The time lies in the future.
  case invalidTime
  /// The store has no such sample of the workout's program, or it is a workout itself.
  case unknownSample
  /// It is too much, or its metadata cannot be kept; nothing of this call was kept.
  case refused(ClientDataProblem)
  /// The journal cannot be written, because the disk is full for instance; nothing of this call was kept.
  case journal
  /// The store cannot be asked now.
  case store
  /// The workout has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
