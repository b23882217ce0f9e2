import FoundationEssentials
import HealthModel
import Timeline

/// A session, a client's series or a live workout, which has records of its own in a journal. Accessed only under the
/// journal's lock.
final class JournalledObject {
  /// The description with which a segment names the object.
  enum Name {
    case session(CaptureHeader)
    case series(ClientSeries)
    case workout(LiveWorkout)

    var identifier: UUID {
      switch self {
      case .session(let header): header.session
      case .series(let series): series.identifier
      case .workout(let workout): workout.identifier
      }
    }

    var header: CaptureHeader? { if case .session(let header) = self { header } else { nil } }
    var series: ClientSeries? { if case .series(let series) = self { series } else { nil } }
    var workout: LiveWorkout? { if case .workout(let workout) = self { workout } else { nil } }
  }

  /// The description with which the object began.
  let description: Name
  var metadata: Metadata
  /// The object's slot in the segments of this run.
  let slot: Int
  /// Whether a record of the object was written: the next name of a session continues it.
  var isOpened = false
  /// Whether the store has the object.
  var isCommitted = false
  /// The last segment that names the object.
  var namedIn: Int?
  /// The last batch of unsynced records to which the object was added.
  var batchNumber = -1
  /// The context without which the instants of a session in a later segment mean nothing.
  var resumption = RecordBuffer.Resumption()
  /// The same for a workout: its last boot and clock.
  fileprivate(set) var context: [WorkoutRecord] = []

  init(_ name: Name, metadata: Metadata, slot: Int) {
    description = name
    self.metadata = metadata
    self.slot = slot
  }

  var identifier: UUID { description.identifier }

  /// The description with the present metadata of a session.
  var name: Name {
    guard case .session(var header) = description else { return description }
    header.metadata = metadata
    return .session(header)
  }
}

/// A record of a session, a series or a workout in a journal.
protocol JournalledRecord {
  /// Whether an object with this name can have such records.
  static func belong(to name: JournalledObject.Name) -> Bool
  /// The instant at which a session continues with this record.
  var continuation: BootInstant? { get }
  /// Appends the record's line.
  func append(to buffer: inout RecordBuffer, slot: Int)
  /// Updates the context of the object, whose records now have this one.
  func update(_ object: JournalledObject)
}

extension SensorEvent: JournalledRecord {
  static func belong(to name: JournalledObject.Name) -> Bool { name.header != nil }
  var continuation: BootInstant? { instant }
  func append(to buffer: inout RecordBuffer, slot: Int) { buffer.event(self, slot: slot) }
  func update(_ object: JournalledObject) { object.resumption.update(with: self) }
}

extension ClientSeriesRecord: JournalledRecord {
  static func belong(to name: JournalledObject.Name) -> Bool { name.series != nil }
  var continuation: BootInstant? { nil }
  func append(to buffer: inout RecordBuffer, slot: Int) { buffer.series(self, slot: slot) }
  func update(_ object: JournalledObject) {}
}

extension WorkoutRecord: JournalledRecord {
  static func belong(to name: JournalledObject.Name) -> Bool { name.workout != nil }
  var continuation: BootInstant? { nil }
  func append(to buffer: inout RecordBuffer, slot: Int) { buffer.workout(self, slot: slot) }

  func update(_ object: JournalledObject) {
    switch self {
    case .boot: object.context = [self]
    case .clock: object.context = object.context.filter { if case .boot = $0 { true } else { false } } + [self]
    case .begin, .call, .samples: break
    }
  }
}
