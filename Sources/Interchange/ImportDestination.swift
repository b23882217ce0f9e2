internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// Where imported sessions go; opened when the first one is there, so that a bad file leaves no empty store behind.
struct ImportDestination {
  private let options: StoreOptions
  private let isDry: Bool
  private var store: HealthStore?
  private var isLookedFor = false
  /// What a recorder has in its journal.
  private var journalled: Set<UUID>?
  /// The recording of another name that the last session was found to be a copy of.
  private(set) var original: UUID?
  /// Whether the store keeps the form that it has of the last session, since that has values which the new one lacks.
  private(set) var keepsOther = false

  init(_ options: StoreOptions, isDry: Bool) {
    self.options = options
    self.isDry = isDry
  }

  /// The store, to be written or only to be looked at; nil where there is none yet.
  mutating func opened() throws -> HealthStore? {
    if !isLookedFor {
      store = isDry ? try options.openIfThere() : try options.openToWrite(making: true)
      isLookedFor = true
    }
    return store
  }

  /// Stores a session, or says what would become of it.
  @concurrent mutating func outcome(
    of session: RecordedSession, _ format: ForeignFormat
  ) async throws -> CommitOutcome {
    (original, keepsOther) = (nil, false)
    // First, since what leaves the journal is in the store.
    if try isBeingRecorded(session.id) { return .unchanged }
    if let copy = IntervalCopy(session, format) {
      original = try await original(of: copy, session)
      if original != nil { return .unchanged }
    }
    guard let store = try opened() else { return .stored }
    if let known = try await outcome(ofCopyIn: session, in: store) { return known }
    let version = try await store.syncVersion(of: session.id)
    if let version, session.syncVersion > version {
      keepsOther = try await hasOtherValues(than: session, in: store)
      if keepsOther { return .unchanged }
    }
    guard isDry else { return try await store.commit(session) }
    if let version { return session.syncVersion > version ? .replaced : .unchanged }
    return try await store.wasDeleted(session.id) ? .deletedBefore : .stored
  }

  /// Whether the store's form of a session has rates or beats that a longer one lacks: one copy may be of beats, another of rates.
  @concurrent private func hasOtherValues(than session: RecordedSession, in store: HealthStore) async throws -> Bool {
    let stored = try await store.session(session.id.uuidString)
    return stored.heartRate.count > session.rates.count || stored.heartbeats.count > session.heartbeats.beats.count
  }

  /// A copy that was written while the session was being recorded has to wait for it: were it stored, the recorder would take its own
  /// session for one that is over.
  private mutating func isBeingRecorded(_ session: UUID) throws -> Bool {
    if journalled == nil { journalled = try options.catalogue(mustExist: false).journalledIdentifiers() }
    return journalled?.contains(session) ?? false
  }

  /// The recording of the same day that has these intervals: who says when text began may be wrong by a time zone.
  @concurrent private func original(of copy: IntervalCopy, _ session: RecordedSession) async throws -> UUID? {
    let catalogue = try options.catalogue(mustExist: false)
    let day: Int64 = 86_400_000_000
    let recordings = try await catalogue.recordings(
      from: session.start.advanced(byMicroseconds: -day), to: session.end.advanced(byMicroseconds: day))
    for recording in recordings where recording != session.id {
      // Of what is damaged nothing can be told.
      guard let values = try? await catalogue.values(recording.uuidString) else { continue }
      if copy.isCopy(of: InterchangeRecording(values)) { return recording }
    }
    return nil
  }

  /// What becomes of a copy of a workout where the store has that, or had it; nil where it never did, and for everything else.
  @concurrent private mutating func outcome(
    ofCopyIn session: RecordedSession, in store: HealthStore
  ) async throws -> CommitOutcome? {
    guard case .text(let text) = session.metadata[ImportedMetadata.workout], let workout = UUID(uuidString: text) else {
      return nil
    }
    if try await store.wasDeleted(workout) { return .deletedBefore }
    guard try await !store.identifiers(SampleQuery(.identifier([workout]))).isEmpty else { return nil }
    original = workout
    return .unchanged
  }
}
