import Captures
import FoundationEssentials
import Sensors

/// A session that has ended, whose end the journal does not have yet. It no longer belongs to a sensor.
struct SessionEnding: Hashable, Sendable {
  let session: UUID
  let reason: SessionEndReason
  let instant: BootInstant
  /// Events of the session that the journal does not have, the end the last.
  let backlog: JournalBacklog

  /// `refused` is what the journal has refused of it before.
  init(session: UUID, reason: SessionEndReason, instant: BootInstant, refused: JournalBacklog = JournalBacklog()) {
    self.session = session
    self.reason = reason
    self.instant = instant
    var backlog = refused
    backlog.append(SensorEvent(.ended(reason), at: instant), refused: .notWritten, room: .max)
    self.backlog = backlog
  }
}
