import Captures
package import FoundationEssentials
package import HealthModel
package import Sensors

/// A live workout as it is now.
package struct RunningWorkout: Hashable, Sendable, Identifiable {
  /// Its identifier, also in the store.
  package var id: UUID
  /// The client that owns it.
  package var owner: ClientIdentity
  /// Whether it ends when its program goes.
  package var endsWithClient: Bool
  /// The sensor whose values belong to it; nil where it has none.
  package var sensor: SensorAddress?
  /// Its state, events and activities; `stopped` while the recovery is recorded, `ended` while it is being stored.
  package var session: WorkoutSession
  /// The time since its start without pauses.
  package var elapsedTime: Duration
  /// Metadata from its program.
  package var metadata: Metadata
  /// The number of samples of its program that were collected.
  package var sampleCount: Int
}

extension RunningWorkout {
  init(_ open: OpenWorkout, at now: BootInstant) {
    self.init(
      id: open.session.id, owner: open.owner, endsWithClient: open.contents.workout.endsWithClient,
      sensor: open.contents.workout.sensor, session: open.session,
      elapsedTime: open.session.elapsedTime(at: open.time(of: now)), metadata: open.metadata,
      sampleCount: open.contents.samples.count)
  }
}

/// A closure that waits for a stage of a workout, and is called once: with nil, or with the reason why the stage is not
/// reached.
package typealias WorkoutWait = @Sendable (WorkoutRequestFailure?) -> Void

/// The sensor that a live workout records.
package enum WorkoutSensor: Hashable, Sendable {
  /// The one sensor that is measuring.
  case any
  case one(SensorAddress)
  /// Nobody's: there are samples of other programs alone.
  case none
}

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
  /// The workout cannot do that, in its state or at all; nothing has changed.
  case invalid(WorkoutError)
  /// The time lies in the future.
  case invalidTime
  /// The store has no such sample of the workout's program, or it is a workout itself.
  case unknownSample
  /// The call holds too much, or metadata that cannot be stored; nothing of it was stored.
  case refused(ClientDataProblem)
  /// The journal cannot be written, because the disk is full for instance; nothing of this call was stored.
  case journal
  /// The store cannot be asked now.
  case store
  /// The workout has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
