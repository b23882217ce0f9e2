public import FoundationEssentials
public import Sensors

/// A record of a live workout (Documentation/capture-format.md): the calls that its program made are all that is needed to have
/// it again.
public enum WorkoutRecord: Hashable, Sendable {
  /// A workout begins; its slot is valid from here on.
  case begin(LiveWorkout)
  /// The instants that follow are of this boot.
  case boot(BootIdentifier, at: BootInstant)
  /// The wall clock minus the boot clock, for all instants of this boot, also those before.
  case clock(wallMinusBootMicroseconds: Int64, at: BootInstant)
  /// Something was asked of it and accepted.
  case call(WorkoutCall, at: BootInstant)
  /// Samples of its program that were collected with it, which the store has; at least one.
  case samples([UUID])

  /// The record's line with its newline, for a slot (1…1048576).
  public func encoded(slot: Int) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.workout(self, slot: slot)
    return buffer.copy()
  }

  /// Decodes a line (with its newline) to its slot and record; nil for other and for damaged lines, and for boot and clock,
  /// which look as a session's do.
  public static func decode(_ line: [UInt8]) -> (slot: Int, record: WorkoutRecord)? {
    guard line.last == UInt8(ascii: "\n") else { return nil }
    let line = Array(line.dropLast())
    guard RecordLine.hasValidChecksum(line), case .workout(let slot, let record)? = RecordLine.record(line) else {
      return nil
    }
    return (slot, record)
  }
}

/// What a program asks of its live workout. All instants are of the boot of the record.
public enum WorkoutCall: Hashable, Sendable {
  case start
  case pause
  case resume
  /// An activity begins, and the one under way ends.
  case beginActivity(UUID, LiveWorkout.Configuration, metadata: [String: CaptureMetadataValue])
  case endActivity
  /// An event with the number of its type in the store, over a time that is over.
  case event(type: Int64, start: BootInstant, end: BootInstant, metadata: [String: CaptureMetadataValue])
  /// The workout is over; its sensor is still recorded, for the recovery.
  case stop
  /// All is over.
  case end
}
