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

  /// All sessions that can be read, oldest first, and what is damaged of the others.
  func list() async throws -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let journalled = try journalled()
    let (stored, damages) = try await store?.readableSessions() ?? ([], [])
    let known = Set(stored.map(\.id))
    let open = journalled.filter { !known.contains($0.id) }.map { SessionSummary($0) }
    // The store lists by start already; what is still open is nearly always the newest.
    return (open.isEmpty ? stored : (stored + open).sorted { $0.precedes($1) }, damages)
  }

  /// Those in the store, oldest first.
  func stored() async throws -> [SessionSummary] {
    try await store?.sessions() ?? []
  }

  /// The session that `name` means: `last`, or the first digits of its identifier.
  func listed(_ name: String) async throws -> SessionSummary {
    switch try await find(name) {
    case .stored(let summary, _): summary
    case .journalled(let session): SessionSummary(session)
    }
  }

  /// Everything that is shown of one session.
  func report(_ name: String) async throws -> SessionReport {
    switch try await find(name) {
    case .stored(let summary, let store):
      try await SessionReport(
        session: summary, heartbeats: store.beats(of: summary.id), gaps: store.gaps(of: summary.id))
    case .journalled(let session):
      SessionReport(session: SessionSummary(session), heartbeats: session.heartbeats, gaps: session.gaps)
    }
  }

  /// A session with its beats.
  func recording(_ name: String) async throws -> (session: SessionSummary, beats: HeartbeatSeries) {
    switch try await find(name) {
    case .stored(let summary, let store): (summary, try await store.beats(of: summary.id))
    case .journalled(let session): (SessionSummary(session), session.heartbeats)
    }
  }

  /// Its heart rates, and its gaps.
  func rates(_ name: String) async throws -> (values: [HeartRateValue], gaps: [RecordingGap]) {
    switch try await find(name) {
    case .stored(let summary, let store): (try await store.rates(of: summary.id), try await store.gaps(of: summary.id))
    case .journalled(let session): (session.rates, session.gaps)
    }
  }

  private func find(_ text: String) async throws -> Found {
    guard let name = SessionName(text) else {
      throw CommandFailure(
        .noInput, "'\(PrintableText.line(text, columns: 40))' names no session",
        remedy: "give at least \(SessionName.fewestDigits) digits of its name, or last; 'sensord sessions' lists them")
    }
    let stored = try await storedSession(text)
    let open = try journalled().filter { $0.id != stored?.id && (name == .last || name.matches($0.id)) }
    guard name == .last || open.count + (stored == nil ? 0 : 1) < 2 else {
      throw CommandFailure(.noInput, "several sessions begin with \(text)", remedy: "give more digits")
    }
    let newest = open.max { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
    if let newest, stored.map({ newest.start >= $0.start }) ?? true { return .journalled(newest) }
    if let stored, let store { return .stored(stored, store) }
    throw name == .last
      ? CommandFailure(
        .noInput, "there is no session in \(location.path) yet",
        remedy: "record one with 'sensord run', or try 'sensord demo'")
      : CommandFailure(
        .noInput, "no session \(text) in \(location.path)", remedy: "'sensord sessions' lists what there is")
  }

  /// The one of the store that `name` means; nil where there is none.
  private func storedSession(_ name: String) async throws -> SessionSummary? {
    do throws(StoreError) {
      return try await store?.session(name)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private func journalled() throws -> [RecordedSession] {
    guard FileAccess.exists(location.journal) else { return [] }
    return try OpenSessions.read(journal: location.journal, version: SensordCommand.version)
  }
}
