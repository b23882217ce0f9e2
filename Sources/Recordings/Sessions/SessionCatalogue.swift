internal import Captures
package import Documents
internal import FoundationEssentials
package import HealthModel
internal import Ingestion
package import SeriesStore

/// The sessions that can be named: those in the store, and those that a recorder has in its journal.
package struct SessionCatalogue: Sendable {
  /// Where the store, the journal and the kept captures are.
  package let location: StoreLocation
  private let store: HealthStore?
  private let version: String

  /// The sessions of one store. Where that was not made yet the catalogue is empty, unless the store was named.
  ///
  /// - Parameters:
  ///   - location: Where the store, and with it the journal, is.
  ///   - isNamed: Whether a person named the store: it must exist then.
  ///   - version: The program's, which sessions that are still in the journal are given.
  /// - Throws: `StoreError`.
  package init(_ location: StoreLocation, isNamed: Bool, version: String) throws(StoreError) {
    self.location = location
    self.version = version
    let isMissing = !isNamed && !FileAccess.exists(location.path)
    store = isMissing ? nil : try HealthStore.open(location.path, for: .reading)
  }

  /// A session, wherever it is.
  private enum Found {
    case stored(SessionSummary, HealthStore)
    case journalled(RecordedSession)
  }

  /// All sessions that can be read, oldest first, and what is damaged of the others.
  package func list() async throws -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let journalled = try journalled()
    let (stored, damages) = try await store?.readableSessions() ?? ([], [])
    let known = Set(stored.map(\.id))
    let open = journalled.filter { !known.contains($0.id) }.map { SessionSummary($0) }
    // The store lists by start already; what is still open is nearly always the newest.
    return (open.isEmpty ? stored : (stored + open).sorted { $0.precedes($1) }, damages)
  }

  /// Those in the store, oldest first.
  package func stored() async throws -> [SessionSummary] {
    try await store?.sessions() ?? []
  }

  /// The session that `name` means: `last`, or the first digits of its identifier.
  package func listed(_ name: String) async throws -> SessionSummary {
    switch try await find(name) {
    case .stored(let summary, _): summary
    case .journalled(let session): SessionSummary(session)
    }
  }

  /// Everything that is shown of one session.
  package func report(_ name: String) async throws -> SessionReport {
    switch try await find(name) {
    case .stored(let summary, let store):
      try await SessionReport(
        session: summary, heartbeats: store.beats(of: summary.id), gaps: store.gaps(of: summary.id))
    case .journalled(let session):
      SessionReport(session: SessionSummary(session), heartbeats: session.heartbeats, gaps: session.gaps)
    }
  }

  /// A session with its beats.
  package func recording(_ name: String) async throws -> (session: SessionSummary, beats: HeartbeatSeries) {
    switch try await find(name) {
    case .stored(let summary, let store): (summary, try await store.beats(of: summary.id))
    case .journalled(let session): (SessionSummary(session), session.heartbeats)
    }
  }

  /// A session with its heart rates and its gaps.
  private func rates(
    _ name: String
  ) async throws -> (session: SessionSummary, rates: [HeartRateValue], gaps: [RecordingGap]) {
    switch try await find(name) {
    case .stored(let summary, let store):
      (summary, try await store.rates(of: summary.id), try await store.gaps(of: summary.id))
    case .journalled(let session): (SessionSummary(session), session.rates, session.gaps)
    }
  }

  /// The values of a session as a table, and whose they are.
  package func export(_ name: String, as format: ExportFormat) async throws -> (session: SessionSummary, csv: [UInt8]) {
    switch format {
    case .beats:
      let (session, beats) = try await recording(name)
      return (session, BeatsExport.csv(beats))
    case .rates:
      let (session, rates, gaps) = try await rates(name)
      return (session, RatesExport.csv(rates, gaps: gaps))
    }
  }

  private func find(_ text: String) async throws -> Found {
    guard let name = SessionName(text) else { throw SessionError.noName(text) }
    let stored = try await storedSession(text)
    let open = try journalled().filter { $0.id != stored?.id && (name == .last || name.matches($0.id)) }
    guard name == .last || open.count + (stored == nil ? 0 : 1) < 2 else {
      throw SessionError.ambiguous(text)
    }
    let newest = open.max { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
    if let newest, stored.map({ newest.start >= $0.start }) ?? true { return .journalled(newest) }
    if let stored, let store { return .stored(stored, store) }
    throw name == .last ? SessionError.noneYet(store: location.path) : .notFound(text, store: location.path)
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

  private func journalled() throws(JournalError) -> [RecordedSession] {
    guard FileAccess.exists(location.journal) else { return [] }
    return try OpenSessions.read(journal: location.journal, version: version)
  }
}
