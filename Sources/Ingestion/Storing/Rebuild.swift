public import Captures
public import FoundationEssentials
public import HealthModel
import HeartRateRecording
public import SeriesStore

/// Computes stored sessions anew, recorded ones from their captures and imported ones from their beats: an algorithm
/// that has become better improves old sessions too.
///
/// A session keeps its identity. The new version replaces it in one transaction, or it stays as it is.
public struct Rebuild: Sendable {
  /// The outcome for one session.
  public enum Outcome: Hashable, Sendable {
    /// The session was computed anew; with the version of the algorithm before.
    case renewed(from: Int64, beats: Int, gaps: Int)
    /// The session is of the present algorithm already.
    case current
    /// There is no capture of it.
    case noCapture
    /// The capture holds fewer notifications than were stored: it is damaged, or was cut off.
    case incompleteCapture(notifications: Int)
    /// The capture cannot be read.
    case unreadableCapture(CaptureError)
  }

  /// The version that sessions are of afterwards.
  public static let algorithmVersion = SessionTimeline.algorithmVersion

  private let store: HealthStore
  private let replay: Replay
  private let captures: [UUID: KeptCapture]

  /// - Parameters:
  ///   - store: A store that is open for writing.
  ///   - archive: Its captures.
  ///   - version: The version of this program, stored as the sessions' source.
  ///   - eventRules: The rules for heart events.
  /// - Throws: ``JournalError`` where the folder of the captures cannot be read.
  public init(
    in store: HealthStore, from archive: CaptureArchive, version: String, eventRules: HeartEventRules
  ) throws(JournalError) {
    self.store = store
    replay = Replay(into: store, version: version, eventRules: eventRules)
    captures = Dictionary(try archive.files().map { ($0.session, $0) }, uniquingKeysWith: { $1 })
  }

  /// Renews one session.
  ///
  /// - Parameter session: As it is stored.
  /// - Returns: The outcome.
  /// - Throws: ``Replay/Failure``; the session is as it was.
  @concurrent package func renew(_ session: SessionSummary) async throws(Replay.Failure) -> Outcome {
    let earlier = session.quality.algorithmVersion ?? 0
    guard earlier < Self.algorithmVersion else { return .current }
    if session.endReason == Self.imported { return try await judge(session, of: earlier) }
    guard let kept = captures[session.id] else { return .noCapture }
    let contents: CaptureContents
    do { contents = try CaptureFile.read(path: kept.path) } catch { return .unreadableCapture(error) }
    guard let capture = contents.captures.first(where: { $0.session == session.id }) else { return .noCapture }
    guard Int64(capture.notificationCount) >= session.syncVersion else {
      return .incompleteCapture(notifications: capture.notificationCount)
    }
    let outcome = try await replay.store(capture)
    return outcome.outcome == .replaced
      ? .renewed(from: earlier, beats: outcome.beats, gaps: outcome.gaps) : .current
  }

  /// Why sessions of files of others ended.
  private static let imported = "imported"

  /// Gives the beats of an imported session the flags that they would get today. Intervals, times and gaps stay, and so
  /// do flags that its file brought.
  @concurrent private func judge(_ session: SessionSummary, of earlier: Int64) async throws(Replay.Failure) -> Outcome {
    do {
      let beats = try await store.beats(of: session.id)
      let hasOwnFlags = earlier == 0 && beats.hasFlags
      guard !beats.beats.isEmpty, !hasOwnFlags, let span = TimeSpan(start: session.start, end: session.end) else {
        return .current
      }
      let judged = beats.judged()
      var quality = session.quality
      quality.algorithmVersion = Self.algorithmVersion
      let renewed = RecordedSession(
        id: session.id, syncVersion: session.syncVersion + 1, device: session.device, source: session.source,
        start: session.start, end: session.end, endReason: session.endReason, metadata: session.metadata,
        rates: try await store.rates(of: session.id), heartbeats: judged, gaps: try await store.gaps(of: session.id),
        markers: try await store.markers(of: session.id), coverage: session.coverage,
        variability: HeartRateVariabilitySummary(of: judged, in: span), quality: quality)
      let outcome = try await store.commit(renewed)
      return outcome == .replaced
        ? .renewed(from: earlier, beats: judged.beats.count, gaps: renewed.gaps.count) : .current
    } catch {
      throw .store(error)
    }
  }
}

/// Stores the sessions of a capture: the same final pass as at the end of a recording.
public struct Replay: Sendable {
  /// One session of the capture, and what became of it.
  public struct Outcome: Hashable, Sendable {
    public var session: UUID
    public var outcome: CommitOutcome
    public var notifications: Int
    public var beats: Int
    public var gaps: Int
  }

  /// Why a capture's session could not be stored.
  public enum Failure: Error {
    case store(StoreError)
    /// The timeline broke the store's rules: a defect of this program.
    case timeline(SeriesError)
  }

  private let store: HealthStore
  private let version: String
  private let eventRules: HeartEventRules

  /// - Parameters:
  ///   - store: A store that is open for writing.
  ///   - version: The version of this program, stored as the sessions' source.
  ///   - eventRules: The rules for heart events.
  public init(into store: HealthStore, version: String, eventRules: HeartEventRules = HeartEventRules()) {
    self.store = store
    self.version = version
    self.eventRules = eventRules
  }

  /// Stores one session of a capture.
  ///
  /// - Parameters:
  ///   - capture: One session as it was received.
  ///   - restore: Brings the session back if it was deleted.
  /// - Returns: The outcome.
  /// - Throws: ``Failure``; nothing was stored.
  @concurrent public func store(_ capture: Capture, restore: Bool = false) async throws(Failure) -> Outcome {
    let session: RecordedSession
    do { session = try RecordedSession(of: capture, version: version) } catch { throw .timeline(error) }
    do {
      let outcome = try await store.commit(session, eventsBy: eventRules, restore: restore)
      return Outcome(
        session: session.id, outcome: outcome, notifications: capture.notificationCount,
        beats: session.heartbeats.beats.count, gaps: session.gaps.count)
    } catch {
      throw .store(error)
    }
  }
}

/// The sessions that a journal holds now: those being recorded, and those that are yet to be committed.
public enum OpenSessions {
  /// Works out each session as if it ended here. Takes no lock and changes nothing, so it runs beside a recorder.
  ///
  /// The end reason of a session that is still open is empty.
  ///
  /// - Throws: ``JournalError`` where the journal's folder cannot be read; a missing folder holds no session.
  public static func read(journal: String, version: String) throws(JournalError) -> [RecordedSession] {
    sessions(of: try JournalReader.read(directory: journal), version: version)
  }

  /// The same of a journal that was read.
  public static func sessions(of contents: JournalContents, version: String) -> [RecordedSession] {
    var sessions: [RecordedSession] = []
    for found in contents.sessions where found.state != .committed {
      // A session that the timeline cannot order is reported when it is committed; a list goes on without it.
      guard var session = try? RecordedSession(of: found.capture, version: version) else { continue }
      if found.state == .open { session.endReason = "" }
      sessions.append(session)
    }
    return sessions
  }
}

/// Looks for heart events in stored sessions anew, as the final pass does: for rules that were switched on or changed, and workouts
/// that were saved or deleted later.
package struct EventScan: Sendable {
  private let store: HealthStore
  private let rules: HeartEventRules

  /// - Parameters:
  ///   - store: A store that is open for writing.
  ///   - rules: The rules for heart events. Events that other rules have found stay.
  package init(in store: HealthStore, by rules: HeartEventRules) {
    self.store = store
    self.rules = rules
  }

  /// Scans one session.
  ///
  /// - Parameter session: As it is stored.
  /// - Returns: The changes; empty if somebody replaced or deleted the session meanwhile.
  /// - Throws: `StoreError`; the session's events are as they were.
  @concurrent package func scan(_ session: SessionSummary) async throws(StoreError) -> EventRenewal {
    do throws(StoreError) {
      return try await store.rescanEvents(of: session.id, as: session.syncVersion, by: rules) ?? EventRenewal()
    } catch {
      guard error.code == .notFound else { throw error }
      return EventRenewal()
    }
  }
}
