import Captures
import FoundationEssentials
import Sensors

/// A session that has ended, whose end the journal does not have yet. It no longer belongs to a sensor.
struct SessionEnding: Hashable, Sendable {
  let session: UUID
  let reason: SessionEndReason
  let instant: BootInstant
  /// What the journal refused of it before.
  var backlog = JournalBacklog()

  private var end: SensorEvent { SensorEvent(.ended(reason), at: instant) }

  /// What is written, in one write.
  var events: [SensorEvent] { backlog.owed(before: instant) + [end] }

  /// What is lost of the session where the journal takes ``events``.
  var loss: JournalLoss { backlog.loss(upTo: instant) }

  /// What the journal is owed where it refuses ``events``.
  func refused(_ code: JournalError.Code) -> JournalBacklog {
    var backlog = backlog
    backlog.append(end, refused: code)
    return backlog
  }
}
