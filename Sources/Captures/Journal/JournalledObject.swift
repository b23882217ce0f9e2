import FoundationEssentials
import HealthModel

/// An object with records of its own in a journal: a session, a series or a workout. Accessed only under the journal's
/// lock.
protocol JournalledObject: AnyObject {
  var identifier: UUID { get }
  /// The object's slot in the segments of this run.
  var slot: Int { get }
  /// Whether the store has the object.
  var isCommitted: Bool { get set }
  /// The last segment that names the object.
  var namedIn: Int? { get set }
  /// The last batch of unsynced records to which the object was added.
  var batchNumber: Int { get set }
}

/// A session of a journal. Accessed only under the journal's lock.
final class JournalledSession: JournalledObject {
  var header: CaptureHeader
  let slot: Int
  /// Whether its opening record was written.
  var isOpened: Bool
  var isCommitted = false
  var resumption: RecordBuffer.Resumption
  var namedIn: Int?
  var batchNumber = -1

  var identifier: UUID { header.session }

  init(header: CaptureHeader, slot: Int, isOpened: Bool, resumption: RecordBuffer.Resumption) {
    self.header = header
    self.slot = slot
    self.isOpened = isOpened
    self.resumption = resumption
  }
}

/// A client's series of a journal.
final class JournalledSeries: JournalledObject {
  let series: ClientSeries
  var metadata: Metadata
  let slot: Int
  var isCommitted = false
  var namedIn: Int?
  var batchNumber = -1

  init(_ series: ClientSeries, metadata: Metadata, slot: Int) {
    self.series = series
    self.metadata = metadata
    self.slot = slot
  }

  var identifier: UUID { series.identifier }
}

/// A live workout of a journal.
final class JournalledWorkout: JournalledObject {
  let workout: LiveWorkout
  var metadata: Metadata
  let slot: Int
  var isCommitted = false
  var namedIn: Int?
  var batchNumber = -1
  /// The last boot and clock, without which the instants in a later segment mean nothing.
  var boot: WorkoutRecord?
  var clock: WorkoutRecord?

  init(_ workout: LiveWorkout, metadata: Metadata, slot: Int) {
    self.workout = workout
    self.metadata = metadata
    self.slot = slot
  }

  var identifier: UUID { workout.identifier }

  /// Updates the boot and the clock with a record that the journal has.
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
