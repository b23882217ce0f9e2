import Captures
import FoundationEssentials
import Sensors

/// The sessions that have ended and are not in the store yet: which of them wait, when they are tried again, and what
/// the journal refused of them. Pure.
///
/// A session whose commit fails stays in the journal. The commit is tried again a minute after the last failure,
/// together with the others.
struct CommitQueue {
  /// Ended sessions whose commit failed, in the order in which it did.
  private(set) var waiting: [UUID] = []
  /// Events of ended sessions that the journal refused; written before the commit.
  private var backlogs: [UUID: JournalBacklog] = [:]
  /// When the sessions that wait are tried again.
  private(set) var retryAt: BootInstant?

  /// Microseconds.
  static let retryInterval: Int64 = 60_000_000

  /// The journal has refused the end of a session.
  mutating func owe(_ backlog: JournalBacklog, of session: UUID) {
    backlogs[session] = backlog
  }

  /// The ended sessions of which the journal does not have everything.
  var owing: [UUID] { backlogs.keys.sorted() }

  /// The values of ended sessions that the journal has refused.
  var unwritten: UnwrittenValues { backlogs.values.reduce(into: UnwrittenValues()) { $0.add($1) } }

  /// Gives `append` the events of a session that the journal refused, without which it cannot be committed.
  ///
  /// - Returns: The events written; nil if none were missing.
  /// - Throws: The error of `append`; the rest is still missing.
  mutating func writeOwed(
    of session: UUID, _ append: ([SensorEvent], UUID) throws(JournalError) -> Void
  ) throws(JournalError) -> JournalBacklog.Written? {
    let written = try backlogs[session]?.write(before: nil) { events throws(JournalError) in
      try append(events, session)
    }
    backlogs[session] = nil
    return written
  }

  /// The losses of sessions whose rest the journal never accepted: for the end of the recorder.
  var losses: [(session: UUID, loss: JournalLoss)] {
    owing.compactMap { session in backlogs[session].map { (session, $0.lossOfAll) } }
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
