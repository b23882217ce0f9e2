import Captures
import FoundationEssentials
import Sensors

/// The sessions that have ended and are not in the store yet: which of them wait, when they are tried again, and what the
/// journal is owed of them. Pure.
///
/// A session whose commit fails stays in the journal. It is tried again a minute after the last failure, together with the
/// others.
struct CommitQueue {
  /// Ended sessions whose commit failed, in the order in which it did.
  private(set) var waiting: [UUID] = []
  /// What the journal refused of ended sessions; written before their commit.
  private var backlogs: [UUID: JournalBacklog] = [:]
  /// When the sessions that wait are tried again.
  private(set) var retryAt: BootInstant?

  /// Microseconds.
  static let retryInterval: Int64 = 60_000_000

  /// The journal has refused the end of a session.
  mutating func owe(_ backlog: JournalBacklog, of session: UUID) {
    backlogs[session] = backlog
  }

  /// What has to be written before this session can be committed; nil where the journal has all of it.
  func owed(of session: UUID) -> [SensorEvent]? {
    guard let backlog = backlogs[session], let end = backlog.events.last?.instant else { return nil }
    return backlog.owed(before: end)
  }

  /// The journal has taken what it was owed.
  ///
  /// - Returns: What is lost of the session.
  mutating func paid(_ session: UUID) -> JournalLoss? {
    backlogs.removeValue(forKey: session)?.loss(upTo: nil)
  }

  /// What is lost of the sessions of which the journal never took the rest: for the end of the recorder.
  var losses: [(session: UUID, loss: JournalLoss)] {
    backlogs.map { ($0.key, $0.value.loss(upTo: nil)) }
  }

  /// A commit has failed. `isLast`: nothing is tried again, since the recorder stops.
  mutating func failed(_ session: UUID, at now: BootInstant, isLast: Bool) {
    waiting.append(session)
    if !isLast { retryAt = now.advanced(byMicroseconds: Self.retryInterval) }
  }

  /// The sessions to be tried again at `now`; none where that is not due.
  mutating func due(at now: BootInstant) -> [UUID] {
    guard let retryAt, retryAt <= now else { return [] }
    return all()
  }

  /// All sessions that wait, due or not.
  mutating func all() -> [UUID] {
    defer { waiting = [] }
    retryAt = nil
    return waiting
  }
}
