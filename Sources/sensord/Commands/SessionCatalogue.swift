internal import FoundationEssentials
internal import HealthModel
internal import Ingestion
internal import SeriesStore

/// The sessions that commands can name: those in the store, and those that a recorder has in its journal.
struct SessionCatalogue: Sendable {
  private let location: StoreLocation
  private let store: HealthStore?

  init(_ options: StoreOptions) throws {
    try self.init(options.location(), isNamed: options.path != nil)
  }

  /// The sessions of one store. Where that was not made yet it is empty, unless it was named.
  init(_ location: StoreLocation, isNamed: Bool) throws {
    self.location = location
    let isMissing = !isNamed && !FileAccess.exists(location.path)
    store = isMissing ? nil : try HealthStore.open(location.path, for: .reading)
  }

  /// A session, wherever it is.
  private enum Found {
    case stored(SessionSummary, HealthStore)
    case journalled(RecordedSession)
  }

  /// All sessions, oldest first.
  func list() async throws -> [ListedSession] {
    let journalled = try journalled()
    let stored = try await store?.sessions() ?? []
    let known = Set(stored.map(\.id))
    let open = journalled.filter { !known.contains($0.id) }.map { ListedSession($0) }
    // The store lists by start already; what is still open is nearly always the newest.
    return open.isEmpty ? stored.map { ListedSession($0) } : (stored.map { ListedSession($0) } + open).sorted(by: <)
  }

  /// Those in the store, oldest first.
  func stored() async throws -> [ListedSession] {
    try await store?.sessions().map { ListedSession($0) } ?? []
  }

  /// The session that `name` means: `last`, or the first digits of its identifier.
  func listed(_ name: String) async throws -> ListedSession {
    switch try await find(name) {
    case .stored(let summary, _): ListedSession(summary)
    case .journalled(let session): ListedSession(session)
    }
  }

  /// Everything that is shown of one session.
  func report(_ name: String) async throws -> SessionReport {
    switch try await find(name) {
    case .stored(let summary, let store):
      try await SessionReport(
        session: ListedSession(summary), heartbeats: store.beats(of: summary.id), gaps: store.gaps(of: summary.id))
    case .journalled(let session):
      SessionReport(session: ListedSession(session), heartbeats: session.heartbeats, gaps: session.gaps)
    }
  }

  /// A session with its beats.
  func recording(_ name: String) async throws -> (session: ListedSession, beats: HeartbeatSeries) {
    switch try await find(name) {
    case .stored(let summary, let store): (ListedSession(summary), try await store.beats(of: summary.id))
    case .journalled(let session): (ListedSession(session), session.heartbeats)
    }
  }

  /// Its beats.
  func beats(_ name: String) async throws -> HeartbeatSeries {
    switch try await find(name) {
    case .stored(let summary, let store): try await store.beats(of: summary.id)
    case .journalled(let session): session.heartbeats
    }
  }

  /// Its heart rates.
  func rates(_ name: String) async throws -> [HeartRateValue] {
    switch try await find(name) {
    case .stored(let summary, let store): try await store.rates(of: summary.id)
    case .journalled(let session): session.rates
    }
  }

  private func find(_ name: String) async throws -> Found {
    let candidates = try await list().filter { name == "last" || $0.isNamed(name) }
    guard let found = candidates.last else {
      let remedy = "'sensord sessions' lists what there is"
      if name == "last" {
        throw CommandFailure(.noInput, "there is no session in \(location.path) yet", remedy: remedy)
      }
      throw CommandFailure(.noInput, "no session \(name) in \(location.path)", remedy: remedy)
    }
    guard name == "last" || candidates.count == 1 else {
      throw CommandFailure(.noInput, "\(candidates.count) sessions begin with \(name)", remedy: "give more digits")
    }
    if let store, let summary = try await store.sessions().first(where: { $0.id == found.id }) {
      return .stored(summary, store)
    }
    guard let session = try journalled().first(where: { $0.id == found.id }) else {
      throw CommandFailure(.noInput, "session \(found.shortName) has just ended", remedy: "try again")
    }
    return .journalled(session)
  }

  private func journalled() throws -> [RecordedSession] {
    guard FileAccess.exists(location.journal) else { return [] }
    return try OpenSessions.read(journal: location.journal, version: SensordCommand.version)
  }
}
