import FoundationEssentials

/// A live workout of a journal.
final class JournalledWorkout: JournalledObject {
  let workout: LiveWorkout
  var metadata: [String: CaptureMetadataValue]
  let slot: Int
  var isCommitted = false
  var namedIn: Int?
  var batchNumber = -1
  /// The last boot and clock, without which the instants in a later segment mean nothing.
  var boot: WorkoutRecord?
  var clock: WorkoutRecord?

  init(_ workout: LiveWorkout, metadata: [String: CaptureMetadataValue], slot: Int) {
    self.workout = workout
    self.metadata = metadata
    self.slot = slot
  }

  var identifier: UUID { workout.identifier }

  /// The journal has this record.
  func took(_ record: WorkoutRecord) {
    switch record {
    case .boot:
      boot = record
      clock = nil
    case .clock: clock = record
    case .begin, .call, .samples: break
    }
  }
}
