package import Captures
package import Documents
package import FoundationEssentials
package import HealthModel
import Ingestion
package import SeriesStore
import Support

/// The sessions that a name can mean: those in the store, and those that a recorder has in its journal.
package struct SessionCatalogue: Sendable {
  /// The place of the store, the journal and the kept captures.
  package let location: StoreLocation
  let store: HealthStore?
  private let version: String
  private let read: @Sendable (_ journal: String) throws(JournalError) -> JournalContents

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

  /// The sessions of a store that is open, or not there yet, and of its journal, which `read` reads.
  package init(
    _ location: StoreLocation, store: HealthStore?, version: String,
    read: @escaping @Sendable (_ journal: String) throws(JournalError) -> JournalContents = {
      (path) throws(JournalError) in try JournalReader.read(directory: path)
    }
  ) {
    (self.location, self.store, self.version, self.read) = (location, store, version, read)
  }

  /// Starts the thread of a store at rest.
  package func start() throws(StoreError) { try store?.start() }

  /// All sessions that can be read, oldest first, and the damages of the others.
  @concurrent package func list() async throws -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let contents = try read(location.journal)
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
    let sessions = try read(location.journal).sessions
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

  /// The stored sessions and workouts whose dates are in doubt.
  @concurrent package func doubtful() async throws -> Set<UUID> {
    Set(try await store?.clocks().filter(\.value.isDoubtful).keys ?? [:].keys)
  }

  /// The sessions in the store, oldest first.
  @concurrent package func stored() async throws -> [SessionSummary] {
    try await store?.sessions() ?? []
  }

  /// The session that `text` means: `last`, which is the newest that has values, or the first digits of its identifier. The
  /// journal is read once; whatever is asked of the session then reads it no more.
  ///
  /// - Throws: ``SessionError``, where the name fits nothing or several of them; `StoreError`, `JournalError`.
  @concurrent package func session(_ text: String) async throws -> FoundSession {
    guard let name = SessionName(text) else { throw SessionError.noName(text) }
    let stored = try await storedSession(text)
    let open = try journalled().filter { $0.id != stored?.id && (name == .last ? $0.hasValues : name.matches($0.id)) }
    guard name == .last || open.count + (stored == nil ? 0 : 1) < 2 else {
      throw SessionError.ambiguous(text)
    }
    let newest = open.max { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
    if let newest, stored.map({ newest.start >= $0.start }) ?? true { return FoundSession(newest) }
    if let stored, let store { return FoundSession(stored, in: store) }
    guard name == .last else { throw SessionError.notFound(text, store: location.path) }
    throw SessionError.noneYet(store: location.path, isDamaged: try await !alterations().isEmpty)
  }

  /// The session of which a table is written. A table is of one session, and a workout may have several sessions.
  ///
  /// - Throws: The errors of ``session(_:)``, and ``SessionError/workout(_:_:)``.
  @concurrent package func session(_ text: String, for format: ExportFormat) async throws -> FoundSession {
    do {
      return try await session(text)
    } catch SessionError.notFound(let text, let path) {
      guard let name = SessionName(text), try await workouts(named: name).count == 1 else {
        throw SessionError.notFound(text, store: path)
      }
      throw SessionError.workout(text, format.rawValue)
    }
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
    return OpenSessions.sessions(of: try read(location.journal), version: version)
  }
}

extension RecordedSession {
  /// Whether the session has a rate or a beat.
  fileprivate var hasValues: Bool { !rates.isEmpty || !heartbeats.beats.isEmpty }
}

extension SessionCatalogue {
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

/// The reason why a session cannot be shown, exported or deleted.
package enum SessionError: Error, Hashable, Sendable {
  /// No session can have this name.
  case noName(String)
  /// The same for a deletion, which does not understand `last`.
  case noNameToDelete(String)
  /// `last` was to be deleted.
  case lastNotDeleted
  /// No session of this store has values, perhaps since rows of its sessions are damaged.
  case noneYet(store: String, isDamaged: Bool = false)
  /// The session has neither rates nor beats.
  case noValues(String)
  /// The session has rates alone, for a reason that may be known.
  case noBeats(String, because: String?)
  /// The session has beats alone.
  case noRates(String)
  /// No session has this name.
  case notFound(String, store: String)
  /// Neither a session nor a workout can have this name.
  case noNameOfEither(String)
  /// Neither a session nor a workout has this name.
  case neitherFound(String, store: String)
  /// Several sessions begin with these digits.
  case ambiguous(String)
  /// Several sessions and workouts begin with these digits.
  case ambiguousWorkout(String)
  /// No session belongs to the workout, so that it has no beats.
  case noHeartbeats(String)
  /// The name is that of a workout, and this table is of sessions alone.
  case workout(String, _ format: String)
  /// A recorder has the session open, so that it cannot be deleted.
  case stillRecorded(String)
  /// A recorder is about to store the session, so that it cannot be deleted.
  case beingStored(String)
  /// The session is deleted from the store; the recorder still has its notifications in the journal.
  case notErased(String)

  /// The failed action and the reason, without a full stop at the end.
  package var message: String {
    switch self {
    case .noName(let text), .noNameToDelete(let text):
      "'\(PrintableText.line(text, columns: 40))' names no session"
    case .lastNotDeleted: "'last' is not deleted"
    case .noNameOfEither(let text): "'\(PrintableText.line(text, columns: 40))' names no session and no workout"
    case .noneYet(let store, isDamaged: false): "there is no session with values in \(store) yet"
    case .noneYet(let store, isDamaged: true):
      "no values of a session are to be found in \(store), and rows of its sessions are not as they were written"
    case .noValues(let name): "session \(name) has no values: its sensor was there and sent no rate and no beat"
    case .noBeats(let name, let reason): "session \(name) has no beats\(reason.map { ": \($0)" } ?? "")"
    case .noRates(let name): "session \(name) has no rates"
    case .notFound(let name, let store): "no session \(name) in \(store)"
    case .neitherFound(let name, let store): "no session or workout \(name) in \(store)"
    case .ambiguous(let name): "several sessions begin with \(name)"
    case .ambiguousWorkout(let name): "several sessions or workouts begin with \(name)"
    case .noHeartbeats(let name): "no recorded heartbeats belong to workout \(name)"
    case .workout(let name, let format): "\(name) is a workout, and \(format) is a table of one session"
    case .stillRecorded(let name): "session \(name) is still being recorded"
    case .beingStored(let name): "session \(name) is being stored just now"
    case .notErased(let name): "session \(name) is deleted, but the recorder has not erased it from its journal"
    }
  }

  /// The remedy, as a command or a short clause.
  package var remedy: String {
    switch self {
    case .noName:
      "give at least \(SessionName.fewestDigits) digits of its name, or last; 'sensord sessions' lists them"
    case .noNameOfEither:
      "give at least \(SessionName.fewestDigits) digits of its name, or last; 'sensord sessions' and 'sensord workouts' list them"
    case .noNameToDelete: "give at least \(SessionName.fewestDigits) digits of its name; 'sensord sessions' shows it"
    case .lastNotDeleted: "give the session's name; 'sensord sessions' shows it"
    case .noneYet(_, isDamaged: true): "'sensord check' names them"
    case .noneYet: "record one with 'sensord run', or try 'sensord demo'"
    case .noBeats(let name, _): "export its rates: sensord export \(name) --format rates"
    case .noRates(let name): "export its beats: sensord export \(name) --format beats"
    case .noValues, .notFound: "'sensord sessions' lists what there is"
    case .neitherFound: "'sensord sessions' and 'sensord workouts' list what there is"
    case .ambiguous, .ambiguousWorkout: "give more digits"
    case .noHeartbeats: "name the session instead; 'sensord sessions' lists them"
    case .workout:
      "name the session of its time, which 'sensord sessions' lists, or take a format for workouts, such as fit"
    case .stillRecorded: "stop the recorder, then delete it"
    case .beingStored: "try again"
    case .notErased: "restart the recorder"
    }
  }
}
