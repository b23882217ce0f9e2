import CLinux
import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Timeline

/// Ends a session's life in the journal: final pass, one transaction, and only then the journal may forget it.
///
/// Runs on the store's thread, so that neither a long final pass nor a slow disk delays a notification.
actor SessionCommitter {
  /// The reason why a session could not be committed. The session stays in the journal, and its commit is tried again.
  enum Failure: Error {
    case journal(JournalError)
    case store(StoreError)
    case timeline(SeriesError)
    /// The calls of a workout make none.
    case workout(WorkoutError)
    /// A session whose values belong to the workout is not stored yet.
    case sessionsMissing
  }

  /// The stored result, for the log.
  struct Committed: Sendable {
    /// Nil where there was nothing to store: a power cut can leave a session's beginning alone.
    var outcome: CommitOutcome?
    var rates: Int
    var beats: Int
    var gaps: Int
    /// The first hundred places in its journal that could not be read.
    var damages: [CaptureDamage]
    /// The older captures that went meanwhile.
    var deletedCaptures: [CaptureArchive.Deletion] = []
    /// The reason why its capture could not be stored or old ones could not be deleted, where that was asked for.
    var archiveFailure: JournalError?
    /// By which clock it is dated.
    var clock: RecordedClock?
  }

  let store: HealthStore
  let journal: Journal
  private let archive: CaptureArchive?
  /// The clock by which captures age; nil if they are stored whatever their age.
  private var aging: CaptureAging?
  let version: String
  let eventRules: HeartEventRules
  /// The number of times that a session, a series or a workout could not be read from the journal.
  private var failedReadings: [UUID: Int] = [:]

  /// So many failures, with a minute between them, show that a segment stays unreadable: then the session is stored
  /// without it rather than never, and the segment is put aside.
  static let greatestFailedReadings = 10

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe store.unownedExecutor }

  init(
    store: HealthStore, journal: Journal, archive: CaptureArchive?, version: String, eventRules: HeartEventRules
  ) {
    self.store = store
    self.journal = journal
    self.archive = archive
    aging = archive?.maximumAgeSeconds.map { CaptureAging(keep: $0) }
    self.version = version
    self.eventRules = eventRules
  }

  /// Commits an ended session. Doing it twice does no harm: the store knows the session's identity.
  ///
  /// Waits for nobody: were this suspended while the store saves, the next session would be read from the journal before this
  /// one is gone from memory, and of many that end at once all would be there together.
  ///
  /// - Parameters:
  ///   - session: The session's identity in the journal.
  ///   - now: The clocks' times in seconds, for the age of stored captures.
  ///   - workouts: The workouts in the journal: no heart event is of their time.
  ///   - judgement: The knowledge of the clock; with nil nothing is stored of it.
  /// - Returns: The stored result.
  /// - Throws: ``Failure``; the session is then still in the journal.
  func commit(
    _ session: UUID, now: (wall: Int64, boot: Int64), during workouts: Set<UUID> = [], judgement: ClockJudgement? = nil
  ) throws(Failure) -> Committed {
    // Returns the memory of a long session's final pass to the system; otherwise the heap would stay that large.
    defer { malloc_trim(0) }
    let (capture, damages) = try read(session) { hasGivenUp throws(JournalError) in
      try journal.capture(of: session, leavingOutUnreadable: hasGivenUp)
    }
    guard capture.holdsAnything else {
      do { try journal.commit(session) } catch { throw .journal(error) }
      return Committed(outcome: nil, rates: 0, beats: 0, gaps: 0, damages: damages)
    }
    let recorded: RecordedSession
    do { recorded = try RecordedSession(of: capture, version: version) } catch { throw .timeline(error) }
    let clock = try clock(in: capture.lastBoot, at: capture.lastClock, from: recorded.start, by: judgement)
    let (rules, spans) = (eventRules, spans(ofWorkouts: workouts))
    // Session and events are in one transaction: a kill leaves both or neither.
    let outcome = try storing { (store) throws(StoreError) in
      try store.commit(recorded, eventsBy: rules, excluding: spans, clock: clock)
    }
    var archiveFailure: JournalError?
    var deletedCaptures: [CaptureArchive.Deletion] = []
    if let archive, outcome != .deletedBefore {
      do throws(JournalError) {
        let newest = try archive.files().last?.modified
        _ = try archive.keep(capture)
        deletedCaptures = try archive.prune(
          now: aging?.now(wall: now.wall, boot: now.boot, newest: newest) ?? now.wall)
      } catch {
        archiveFailure = error
      }
    }
    do {
      try journal.commit(session)
      // The session is committed all the same: its remaining records are deleted with their segments.
      if outcome == .deletedBefore { try? journal.erase(session) }
    } catch {
      throw .journal(error)
    }
    return Committed(
      outcome: outcome, rates: recorded.rates.count, beats: recorded.heartbeats.beats.count,
      gaps: recorded.gaps.count, damages: damages, deletedCaptures: deletedCaptures, archiveFailure: archiveFailure,
      clock: clock)
  }

  /// Reads what the journal has of a session, a series or a workout. `body` is told whether to leave out what has been unreadable
  /// too often.
  func read<Contents>(
    _ identifier: UUID, _ body: (Bool) throws(JournalError) -> Contents
  ) throws(Failure) -> Contents {
    do throws(JournalError) {
      let contents = try body(failedReadings[identifier, default: 0] >= Self.greatestFailedReadings)
      failedReadings[identifier] = nil
      return contents
    } catch {
      if error.code == .cannotRead { failedReadings[identifier, default: 0] += 1 }
      throw .journal(error)
    }
  }

  /// Does something with the store, whose actor has the same thread.
  func storing<Result: Sendable>(
    _ body: @Sendable (isolated HealthStore) throws(StoreError) -> Result
  ) throws(Failure) -> Result {
    let done = store.assumeIsolated { store in
      Swift.Result<Result, StoreError> { () throws(StoreError) in try body(store) }
    }
    do throws(StoreError) { return try done.get() } catch { throw .store(error) }
  }

  /// Erases what the journal and the archive hold of the sessions that were deleted after the change `anchor`.
  ///
  /// Segments that were set aside are looked through for new deletions only, not for all of the past at the start, where
  /// the anchor is nil.
  ///
  /// - Returns: The anchor for the next time.
  func eraseDeleted(after anchor: ChangeAnchor?) async throws(Failure) -> ChangeAnchor {
    let changes: ChangeSet
    do { changes = try await ChangeQuery(after: anchor ?? .start, predicate: .or([])).result(for: store).value } catch {
      // Another file lies there now, an older copy for instance: its deletions are those of a start.
      if anchor != nil, error.code == .foreignAnchor || error.code == .lostAnchor {
        return try await eraseDeleted(after: nil)
      }
      throw .store(error)
    }
    for object in changes.deleted where object.isSession {
      // A session that was restored since then keeps its journal and its capture.
      let isBack: Bool
      do { isBack = try await store.syncVersion(of: object.id) != nil } catch { throw .store(error) }
      guard !isBack else { continue }
      do {
        try journal.erase(object.id, settledAside: anchor != nil)
        try archive?.remove(object.id)
      } catch {
        throw .journal(error)
      }
    }
    return changes.anchor
  }
}

extension Capture {
  /// Whether a value arrived, be it lost later.
  fileprivate var holdsAnything: Bool {
    if log.measurementCount > 0 { return true }
    return log.contains { if case .lost = $0.kind { true } else { false } }
  }
}

extension SessionCommitter {
  /// The clock of what is about to be stored.
  ///
  /// - Parameters:
  ///   - boot: The boot of its last records.
  ///   - lead: The lead that they know of it.
  ///   - start: When it begins by that.
  ///   - judgement: The present knowledge; nil if there is none.
  /// - Returns: The clock; nil where nothing is stored of it.
  /// - Throws: ``Failure``, where the store cannot be read.
  func clock(
    in boot: BootIdentifier?, at lead: Int64?, from start: Timestamp, by judgement: ClockJudgement?
  ) throws(Failure) -> RecordedClock? {
    guard let judgement else { return nil }
    return try storing { (store) throws(StoreError) in
      let remembered = try boot.flatMap { (boot) throws(StoreError) in try store.clockBelief(in: boot.uuid) }
      return judgement.clock(
        in: boot, at: lead, from: start, remembered: remembered, newest: try store.newestBelievedEnd())
    }
  }
}

/// The time by which stored captures age: the wall clock without what a jump added to it, until the clock has stood for
/// as long as captures are stored.
///
/// Whether a clock can be believed is not known here. A day by the boot clock is a day; a month that passes in a second, or
/// between two boots, may be one in which the machine was off, or a wrong clock. All times are in seconds.
struct CaptureAging: Sendable {
  /// The time for which captures are stored.
  private let keep: Int64
  /// A time that is known to have come, and the boot clock's at it.
  private var known: (time: Int64, boot: Int64)?
  /// Since when the wall clock has been further than that, by the boot clock, and by how much.
  private var jump: (since: Int64, by: Int64)?

  /// Clocks that differ by no more are the same, since they are adjusted all the time.
  private static let tolerance: Int64 = 60

  init(keep: Int64) {
    self.keep = keep
  }

  /// The time by which captures age.
  ///
  /// - Parameters:
  ///   - wall: The wall clock, since 1970.
  ///   - boot: The boot clock, of the same boot at each call.
  ///   - newest: The time when the newest capture was stored, since 1970; nil without any. Only the one of the first
  ///     call counts.
  /// - Returns: The time since 1970, `wall` or earlier.
  mutating func now(wall: Int64, boot: Int64, newest: Int64?) -> Int64 {
    let first: (time: Int64, boot: Int64) = if let newest { (newest, 0) } else { (wall, boot) }
    let before = known ?? first
    known = before
    let passed = before.time.addingSaturated(boot.subtractingSaturated(before.boot))
    let ahead = wall.subtractingSaturated(passed)
    guard ahead > Self.tolerance else {
      jump = nil
      return wall
    }
    if let jump, abs(ahead.subtractingSaturated(jump.by)) <= Self.tolerance {
      guard boot.subtractingSaturated(jump.since) >= keep else { return passed }
      self.jump = nil
      known = (wall, boot)
      return wall
    }
    jump = (boot, ahead)
    return passed
  }
}
