import Captures
package import Documents
package import FoundationEssentials
package import HealthModel
import Ingestion
package import SeriesStore

/// The sessions that a name can mean: those in the store, and those that a recorder has in its journal.
package struct SessionCatalogue: Sendable {
  /// The place of the store, the journal and the kept captures.
  package let location: StoreLocation
  let store: HealthStore?
  private let version: String

  /// The sessions of one store. The catalogue of a store that was not made yet is empty, unless the store was named.
  ///
  /// - Parameters:
  ///   - location: The place of the store, and with it of the journal.
  ///   - isNamed: Whether a person named the store, so that it must exist.
  ///   - version: The version of the program, which becomes that of sessions in the journal.
  ///   - atRest: Whether the store is opened without its thread; queries must wait for ``start()`` then.
  /// - Throws: `StoreError`.
  package init(
    _ location: StoreLocation, isNamed: Bool, version: String, atRest: Bool = false
  ) throws(StoreError) {
    let isMissing = !isNamed && !FileAccess.exists(location.path)
    var store: HealthStore?
    if !isMissing {
      store =
        atRest
        ? try HealthStore.openAtRest(location.path, for: .reading, limit: .inAll)
        : try HealthStore.open(location.path, for: .reading, limit: .inAll)
    }
    self.init(location, store: store, version: version)
  }

  /// The sessions of a store that is open, or not there yet, and of its journal.
  package init(_ location: StoreLocation, store: HealthStore?, version: String) {
    (self.location, self.store, self.version) = (location, store, version)
  }

  /// Starts the thread of a store at rest.
  package func start() throws(StoreError) { try store?.start() }

  /// A session, wherever it is.
  private enum Found {
    case stored(SessionSummary, HealthStore)
    case journalled(RecordedSession)
  }

  /// All sessions that can be read, oldest first, and the damages of the others.
  @concurrent package func list() async throws -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let contents = try JournalReader.read(directory: location.journal)
    let journalled = OpenSessions.sessions(of: contents, version: version)
    let (stored, found) = try await store?.readableSessions() ?? ([], [])
    // A file that is no segment holds no session that is missing here.
    let waiting = contents.foreignFiles.filter(\.reason.mayPass).map {
      StoreDamage(object: "journal", problem: $0.line(in: location.journal))
    }
    let damages = found + waiting + (try location.setAside())
    let known = Set(stored.map(\.id))
    let open = journalled.filter { !known.contains($0.id) }.map { SessionSummary($0) }
    // The store lists by start already; an open session is nearly always the newest.
    return (open.isEmpty ? stored : (stored + open).sorted { $0.precedes($1) }, damages)
  }

  /// The sessions that a recorder has in its journal, or that wait there.
  package func journalledIdentifiers() throws -> Set<UUID> {
    guard FileAccess.exists(location.journal) else { return [] }
    let sessions = try JournalReader.read(directory: location.journal).sessions
    return Set(sessions.filter { $0.state != .committed }.map(\.capture.session))
  }

  /// The sessions that begin in a time, oldest first, and the damages of all; nil is no bound.
  @concurrent package func sessions(
    beginningFrom start: Timestamp?, to end: Timestamp?
  ) async throws -> (sessions: [UUID], damages: [StoreDamage]) {
    let (sessions, damages) = try await list()
    let chosen = sessions.filter { session in
      (start.map { session.start >= $0 } ?? true) && (end.map { session.start < $0 } ?? true)
    }
    return (chosen.map(\.id), damages)
  }

  /// Alterations of the sessions that are listed: rows that are not as they were written.
  @concurrent package func alterations() async throws -> [StoreDamage] {
    try await store?.alterations() ?? []
  }

  /// Alterations of a session that is shown or exported; empty for a session in the journal.
  @concurrent package func alterations(of session: UUID) async throws -> [StoreDamage] {
    try await store?.alterations(of: session) ?? []
  }

  /// The stored sessions and workouts whose dates are in doubt.
  @concurrent package func doubtful() async throws -> Set<UUID> {
    Set(try await store?.clocks().filter(\.value.isDoubtful).keys ?? [:].keys)
  }

  /// The sessions in the store, oldest first.
  @concurrent package func stored() async throws -> [SessionSummary] {
    try await store?.sessions() ?? []
  }

  /// The session that `name` means: `last`, which is the newest that has values, or the first digits of its identifier.
  @concurrent package func listed(_ name: String) async throws -> SessionSummary {
    switch try await find(name) {
    case .stored(let summary, _): summary
    case .journalled(let session): SessionSummary(session)
    }
  }

  /// Everything that is shown of one session; where zones are given, with the time in each.
  @concurrent package func report(_ name: String, zones: HeartRateZones? = nil) async throws -> SessionReport {
    switch try await find(name) {
    case .stored(let summary, let store):
      var times: ZoneTimes?
      if let zones { times = ZoneTimes(zones, of: try await store.rates(of: summary.id), until: summary.end) }
      return try await SessionReport(
        session: summary, heartbeats: store.beats(of: summary.id), gaps: store.gaps(of: summary.id),
        markers: store.markers(of: summary.id), isDoubtful: store.clock(of: summary.id)?.isDoubtful ?? false,
        zones: times)
    case .journalled(let session):
      return SessionReport(
        session: SessionSummary(session), heartbeats: session.heartbeats, gaps: session.gaps,
        markers: session.markers, zones: zones.map { ZoneTimes($0, of: session.rates, until: session.end) })
    }
  }

  /// A session with its beats.
  @concurrent package func recording(_ name: String) async throws -> (session: SessionSummary, beats: HeartbeatSeries) {
    switch try await find(name) {
    case .stored(let summary, let store): (summary, try await store.beats(of: summary.id))
    case .journalled(let session): (SessionSummary(session), session.heartbeats)
    }
  }

  /// The recovery of the heart rate after exercise in a session, which ended at `end`; without `end`, 65 s before the end of the
  /// session, so that the minute and the seconds after it were recorded.
  @concurrent package func recovery(
    _ name: String, at end: Timestamp?
  ) async throws -> (session: SessionSummary, answer: RecoveryAnswer) {
    func endOfExercise(_ session: SessionSummary) -> Timestamp {
      end ?? session.end.advanced(byMicroseconds: -HeartRateRecovery.timeAfterEnd)
    }
    switch try await find(name) {
    case .stored(let summary, let store):
      return (
        summary,
        RecoveryAnswer(
          after: endOfExercise(summary), heartbeats: try await store.beats(of: summary.id),
          rates: try await store.rates(of: summary.id), gaps: try await store.gaps(of: summary.id))
      )
    case .journalled(let session):
      let summary = SessionSummary(session)
      return (
        summary,
        RecoveryAnswer(
          after: endOfExercise(summary), heartbeats: session.heartbeats, rates: session.rates, gaps: session.gaps)
      )
    }
  }

  /// A session with its heart rates and its gaps.
  @concurrent func rates(
    _ name: String
  ) async throws -> (session: SessionSummary, rates: [HeartRateValue], gaps: [RecordingGap]) {
    switch try await find(name) {
    case .stored(let summary, let store):
      (summary, try await store.rates(of: summary.id), try await store.gaps(of: summary.id))
    case .journalled(let session): (SessionSummary(session), session.rates, session.gaps)
    }
  }

  /// The values of a session as a table, with the summary of the session.
  @concurrent package func export(_ name: String, as format: ExportFormat) async throws -> (
    session: SessionSummary, csv: [UInt8]
  ) {
    do {
      switch format {
      case .beats:
        let (session, beats) = try await recording(name)
        try session.requireValues()
        guard !beats.beats.isEmpty else {
          throw SessionError.noBeats(session.shortName, because: session.variabilityRefusal.map { "\($0)" })
        }
        return (session, BeatsExport.csv(beats))
      case .rates:
        let (session, rates, gaps) = try await rates(name)
        try session.requireValues()
        guard !rates.isEmpty else { throw SessionError.noRates(session.shortName) }
        return (session, RatesExport.csv(rates, gaps: gaps))
      }
    } catch SessionError.notFound(let name, let store) {
      // A table is of one session, and a workout may have several sessions.
      guard case .workout? = try? await named(name) else { throw SessionError.notFound(name, store: store) }
      throw SessionError.workout(name, format.rawValue)
    }
  }

  /// Whether one session or several begin with these digits.
  @concurrent func hasSession(_ text: String) async throws -> Bool {
    do {
      _ = try await find(text)
    } catch SessionError.notFound {
      return false
    } catch SessionError.ambiguous {
    } catch let error as StoreError where error.code == .ambiguous {
    }
    return true
  }

  @concurrent private func find(_ text: String) async throws -> Found {
    guard let name = SessionName(text) else { throw SessionError.noName(text) }
    let stored = try await storedSession(text)
    let open = try journalled().filter { $0.id != stored?.id && (name == .last ? $0.hasValues : name.matches($0.id)) }
    guard name == .last || open.count + (stored == nil ? 0 : 1) < 2 else {
      throw SessionError.ambiguous(text)
    }
    let newest = open.max { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
    if let newest, stored.map({ newest.start >= $0.start }) ?? true { return .journalled(newest) }
    if let stored, let store { return .stored(stored, store) }
    guard name == .last else { throw SessionError.notFound(text, store: location.path) }
    throw SessionError.noneYet(store: location.path, isDamaged: try await !alterations().isEmpty)
  }

  /// The stored session that `name` means; nil without such a session.
  @concurrent private func storedSession(_ name: String) async throws -> SessionSummary? {
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

extension RecordedSession {
  /// Whether the session has a rate or a beat.
  fileprivate var hasValues: Bool { !rates.isEmpty || !heartbeats.beats.isEmpty }
}

extension SessionSummary {
  /// Throws ``SessionError/noValues(_:)`` for a session without a rate and a beat, which cannot be shown.
  package func requireValues() throws(SessionError) {
    guard heartRate.count > 0 || heartbeats.count > 0 else { throw .noValues(shortName) }
  }
}

/// The curves for pictures.
extension SessionCatalogue {
  /// The curves of the session that `name` means.
  @concurrent package func curves(_ name: String) async throws -> RecordedCurves {
    let (session, rates, gaps) = try await rates(name)
    let beats = try await recording(session.id.uuidString).beats
    return RecordedCurves(in: Self.span(session.start, session.end), rates: rates, heartbeats: [beats], gaps: gaps)
  }

  /// The curves of a stored workout, from the sessions that were collected with it.
  @concurrent package func curves(ofWorkout workout: UUID) async throws -> RecordedCurves {
    let (store, sample) = try await stored(workout)
    let collected = try await Self.heart(of: store.workout(workout), sample.source, in: store).samples
    var beats: [HeartbeatSeries] = []
    var gaps: [RecordingGap] = []
    for sample in collected where sample.type == .heartbeatSeries {
      if let session = sample.session { beats.append(try await store.beats(of: session)) }
    }
    for session in Set(collected.compactMap(\.session)) { gaps += try await store.gaps(of: session) }
    return RecordedCurves(
      in: Self.span(sample.start, sample.end), rates: try await Self.rates(of: collected, in: store),
      heartbeats: beats.sorted { ($0.start?.microseconds ?? 0) < ($1.start?.microseconds ?? 0) }, gaps: gaps)
  }

  static func span(_ start: Timestamp, _ end: Timestamp) -> TimeSpan {
    TimeSpan(start: start, end: end) ?? TimeSpan(at: start)
  }
}
