public import Captures
import FoundationEssentials
public import HealthModel
import HeartRateRecording
public import SeriesStore

/// Works out stored sessions anew, recorded ones from their kept captures and imported ones from their beats: an
/// algorithm that has become better improves old sessions too.
///
/// A session keeps its identity. It is replaced in one transaction, or stays as it is.
public struct Rebuild: Sendable {
  /// What became of one session.
  public enum Outcome: Hashable, Sendable {
    /// It was worked out anew; the algorithm's version that it had before.
    case renewed(from: Int64, beats: Int, gaps: Int)
    /// It is of the present algorithm already.
    case current
    /// There is no kept capture of it.
    case noCapture
    /// The kept capture holds fewer notifications than were stored: it is damaged, or was cut off.
    case incompleteCapture(notifications: Int)
    /// The kept capture cannot be read.
    case unreadableCapture(CaptureError)
  }

  /// The version that sessions are of afterwards.
  public static let algorithmVersion = SessionTimeline.algorithmVersion

  private let store: HealthStore
  private let replay: Replay
  private let captures: [UUID: KeptCapture]

  /// - Parameters:
  ///   - store: A store that is open for writing.
  ///   - archive: Its kept captures.
  ///   - version: The version of this program, kept as the sessions' source.
  ///   - eventRules: Which heart events are looked for.
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
  /// - Returns: What became of it.
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
