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
  @concurrent mutating func outcome(of session: RecordedSession) async throws -> CommitOutcome {
    guard let store = try opened() else { return .stored }
    guard isDry else { return try await store.commit(session) }
    if let version = try await store.syncVersion(of: session.id) {
      return session.syncVersion > version ? .replaced : .unchanged
    }
    return try await store.wasDeleted(session.id) ? .deletedBefore : .stored
  }
}
