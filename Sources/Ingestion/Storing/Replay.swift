public import Captures
public import FoundationEssentials
public import HealthModel
public import SeriesStore

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
  ///   - version: The version of this program, kept as the sessions' source.
  ///   - eventRules: Which heart events are looked for.
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
  /// - Returns: What became of it.
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
