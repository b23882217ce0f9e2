import Captures
import FoundationEssentials
import HealthModel
import Sensors

/// A live workout while it goes on: what the journal has of it, and what follows from that.
///
/// Pure. A call is tried first, then journalled, then taken; so whatever was answered can be repeated from the journal.
struct OpenWorkout {
  /// For how long a session goes on after its workout, in microseconds: the heart rate a minute later is a mean over 5 s, and
  /// values arrive late.
  static let recovery: Int64 = 65_000_000

  /// What the journal has.
  private(set) var contents: WorkoutContents
  /// The same as a workout.
  private(set) var replay: WorkoutReplay
  /// What its sensor has sent since it began.
  var rates = WorkoutRates()
  /// When it ends by itself.
  let deadline: BootInstant
  /// What the journal has refused at the recorder's start, and needs before anything else: the present boot and clock.
  var owed: [WorkoutRecord] = []
  /// When its recovery is over; nil before it was stopped.
  var recoveryEnd: BootInstant?

  /// Throws ``HealthModel/WorkoutError`` where there cannot be such a workout.
  init(_ contents: WorkoutContents, until deadline: BootInstant) throws(WorkoutError) {
    self.contents = contents
    self.deadline = deadline
    replay = try WorkoutReplay(contents)
  }

  var session: WorkoutSession { replay.session }
  var owner: ClientIdentity { ClientIdentity(uid: contents.workout.uid, application: contents.workout.application) }
  var metadata: Metadata { contents.metadata.mapValues(MetadataValue.init) }
  /// The wall clock minus the boot clock, by which its times are told.
  var wallMinusBoot: Int64 { contents.wallMinusBootMicroseconds ?? 0 }

  /// When something has to be done without a call.
  var nextDeadline: BootInstant { recoveryEnd ?? deadline }

  /// Whether it has neither stopped nor ended.
  var isUnderWay: Bool { session.state == .running || session.state == .paused }

  /// The instant of a time that a program names.
  func instant(of time: Timestamp) -> BootInstant {
    BootInstant(microseconds: time.microseconds.subtractingSaturated(wallMinusBoot))
  }

  /// The time of an instant.
  func time(of instant: BootInstant) -> Timestamp { instant.timestamp(wallMinusBoot: wallMinusBoot) }

  /// What the journal is to have when the wall clock has been set or slewed; nil while it has not.
  func record(ofClock offset: Int64, at now: BootInstant) -> WorkoutRecord? {
    guard abs(offset.subtractingSaturated(wallMinusBoot)) > 1_000 else { return nil }
    return .clock(wallMinusBootMicroseconds: offset, at: now)
  }

  /// What the journal is to have of a call.
  ///
  /// - Parameters:
  ///   - call: What is asked for.
  ///   - instant: When. One that nobody named is moved to the last call's where it is before that.
  ///   - isNamed: Whether the program named it.
  /// - Returns: The record.
  /// - Throws: ``HealthModel/WorkoutError`` where it cannot be done; nothing has changed then.
  func record(
    of call: WorkoutCall, at instant: BootInstant, isNamed: Bool = false
  ) throws(WorkoutError) -> WorkoutRecord {
    var trial = replay
    let time = time(of: instant)
    try trial.perform(call, at: isNamed ? time : max(time, replay.latest ?? time), wallMinusBoot: wallMinusBoot)
    return .call(call, at: instant)
  }

  /// The journal has these.
  mutating func journalTook(_ records: [WorkoutRecord], _ metadata: [String: CaptureMetadataValue] = [:]) {
    contents.metadata.merge(metadata) { $1 }
    for record in records {
      contents.append(record)
      switch record {
      case .call(let call, let instant):
        let time = time(of: instant)
        // It was tried before.
        try? replay.perform(call, at: max(time, replay.latest ?? time), wallMinusBoot: wallMinusBoot)
      case .boot, .clock:
        if let again = try? WorkoutReplay(contents) { replay = again }
      case .begin, .samples: break
      }
    }
  }
}
