internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore

/// The store to which imported sessions go.
struct ImportDestination {
  /// The outcome for a session.
  struct Answer {
    var outcome: CommitOutcome
    /// The recording of another name of which the session is a copy.
    var original: UUID?
    /// The form of the session that stays in the store, since each of the two has something that the other lacks.
    var kept: SessionForm?
    /// A session that came in as text and has the same intervals.
    var twin: UUID?
    /// Whether ``original`` has the same rates, and came in from another format.
    var isOtherFormat = false

    init(_ outcome: CommitOutcome, original: UUID? = nil, kept: SessionForm? = nil) {
      (self.outcome, self.original, self.kept) = (outcome, original, kept)
    }
  }

  private let store: ImportStore
  let isDry: Bool
  /// Whether what was deleted may come back.
  let restore: Bool
  private var isAskedFor = false
  /// The sessions in a recorder's journal.
  private var journalled: Set<UUID>?
  /// Whether a file got `--start` as its beginning.
  private var hasStarted = false
  /// The sessions that the files before would have stored.
  private var planned: [UUID: (form: SessionForm, version: Int64)] = [:]
  /// The versions of workouts that the files before would have stored, by their identities.
  var plannedRides: [[UInt8]: Int64] = [:]

  /// Whether a recording comes in that is there in another format.
  private let again: Bool

  init(_ store: ImportStore, isDry: Bool, restore: Bool, again: Bool) {
    self.store = store
    self.isDry = isDry
    self.restore = restore
    self.again = again
  }

  /// The store, to be written or only to be read; nil where there is no store yet.
  mutating func opened() throws -> HealthStore? {
    let store = try self.store.opened()
    if !isAskedFor { self.store.keep() }
    isAskedFor = true
    return store
  }

  /// Gives `--start` to a file without a time; false where another file has it already: two recordings do not begin at once.
  mutating func takeStart() -> Bool {
    defer { hasStarted = true }
    return !hasStarted
  }

  /// Stores a session, or returns the outcome that storing would have.
  @concurrent mutating func answer(to session: RecordedSession, _ format: ForeignFormat) async throws -> Answer {
    // First, since what leaves the journal is in the store.
    if try isBeingRecorded(session.id) { return Answer(.unchanged) }
    let copy = IntervalCopy(session.heartbeats, format)
    if let copy, let original = try await original(of: copy, session, format) {
      return Answer(.unchanged, original: original)
    }
    let store = try opened()
    if let store, let known = try await answer(toCopyIn: session, in: store) { return known }
    var session = session
    if let (stored, version) = try await stored(session.id, in: store) {
      let form = SessionForm(session)
      // A recorded session has everything that a copy could have; of two copies neither needs to contain the other.
      let isCopyOfRecorded = version >= 0 && session.syncVersion < 0
      if !isCopyOfRecorded, form.hasMore(than: stored) {
        if stored.hasMore(than: form) { return Answer(.unchanged, kept: stored) }
        session.syncVersion = max(session.syncVersion, version + 1)
      } else if stored.hasMore(than: form) || session.syncVersion <= version {
        // Also where beats are judged by later rules now: 'replay --rebuild' does that to what is stored.
        return Answer(.unchanged)
      }
    } else if let store, !again, let other = try await otherFormat(of: session, format, in: store) {
      var answer = Answer(.unchanged, original: other)
      answer.isOtherFormat = true
      return answer
    }
    var answer = Answer(try await outcome(of: session, in: store))
    if let store, format != .rr, answer.outcome == .stored { answer.twin = try await twin(of: session, in: store) }
    return answer
  }

  /// The form that the store has of a session, or would have, and its version.
  @concurrent private func stored(
    _ session: UUID, in store: HealthStore?
  ) async throws -> (form: SessionForm, version: Int64)? {
    if let planned = planned[session] { return planned }
    guard let store, let version = try await store.syncVersion(of: session) else { return nil }
    let summary = try await store.session(session.uuidString)
    let form = SessionForm(
      rates: summary.heartRate.count, beats: summary.heartbeats.count,
      timescale: try await store.beats(of: session).timescale)
    return (form, version)
  }

  @concurrent private mutating func outcome(
    of session: RecordedSession, in store: HealthStore?
  ) async throws -> CommitOutcome {
    if !isDry, let store { return try await store.commit(session, restore: restore) }
    let version = try await stored(session.id, in: store)?.version
    if version == nil, !restore, let store, try await store.wasDeleted(session.id) { return .deletedBefore }
    if let version, session.syncVersion <= version { return .unchanged }
    planned[session.id] = (SessionForm(session), session.syncVersion)
    return version == nil ? .stored : .replaced
  }

  /// Whether a recorder's journal still has a session. A copy of such a session has to wait for the session's end: were the copy stored, the
  /// recorder would regard its own session as over.
  private mutating func isBeingRecorded(_ session: UUID) throws -> Bool {
    if journalled == nil { journalled = try store.catalogue().journalledIdentifiers() }
    return journalled?.contains(session) ?? false
  }

  private static let day: Int64 = 86_400_000_000

  /// The recording of the same day that has these intervals: the beginning that a person gives may be wrong by a time zone.
  @concurrent private func original(
    of copy: IntervalCopy, _ session: RecordedSession, _ format: ForeignFormat
  ) async throws -> UUID? {
    let catalogue = try store.catalogue()
    let recordings = try await catalogue.recordings(
      from: session.start.advanced(byMicroseconds: -Self.day), to: session.end.advanced(byMicroseconds: Self.day))
    for recording in recordings where recording != session.id {
      // A damaged recording cannot be compared.
      guard let values = try? await catalogue.values(recording.uuidString) else { continue }
      // A table has the times and gaps that text alone lacks.
      if format != .rr, Self.isText(values.metadata) { continue }
      guard copy.isCopy(of: InterchangeRecording(values)) else { continue }
      // Intervals that are all alike, of a simulator or a pacemaker, identify nobody.
      if !copy.isUniform || values.span.start == session.start { return recording }
    }
    return nil
  }

  private static func isText(_ metadata: Metadata) -> Bool {
    metadata["importedFormat"] == .text(ForeignFormat.rr.rawValue)
  }

  private static let mostApart: Int64 = 2_000_000
  private static let fewestRates = 30

  /// The session that came in from another format, begins within 2 s of this one, and has 95 % of its rates at the same seconds.
  @concurrent private func otherFormat(
    of session: RecordedSession, _ format: ForeignFormat, in store: HealthStore
  ) async throws -> UUID? {
    guard session.rates.count >= Self.fewestRates else { return nil }
    let near = SamplePredicate.time(
      from: session.start.advanced(byMicroseconds: -Self.mostApart),
      to: session.start.advanced(byMicroseconds: Self.mostApart), strictness: .start)
    for sample in try await SampleQuery(.and([.type(.quantity(.heartRate)), near])).result(for: store).value {
      guard let other = sample.session, other != session.id,
        case .text(let name)? = try await store.session(other.uuidString).metadata["importedFormat"],
        name != format.rawValue
      else { continue }
      var known: [Int64: UInt16] = [:]
      for rate in try await store.rates(of: other) { known[rate.time.microseconds / 1_000_000] = rate.beatsPerMinute }
      let equal = session.rates.count { known[$0.time.microseconds / 1_000_000] == $0.beatsPerMinute }
      if equal * 20 >= session.rates.count * 19 { return other }
    }
    return nil
  }

  /// The session of the same day that came in as a table or text, before this one, and has the same intervals.
  @concurrent private func twin(of session: RecordedSession, in store: HealthStore) async throws -> UUID? {
    guard session.heartbeats.beats.count > IntervalCopy.fewest else { return nil }
    let beats = SamplePredicate.and([
      .type(.heartbeatSeries),
      .time(
        from: session.start.advanced(byMicroseconds: -Self.day), to: session.end.advanced(byMicroseconds: Self.day)),
    ])
    let recording = InterchangeRecording(
      id: session.id, device: session.device, source: session.source,
      span: TimeSpan(start: session.start, end: session.end) ?? TimeSpan(at: session.start),
      heartbeats: session.heartbeats, gaps: session.gaps)
    for sample in try await SampleQuery(beats).result(for: store).value {
      guard let other = sample.session, other != session.id,
        case .text(let name)? = try await store.session(other.uuidString).metadata["importedFormat"],
        let format = ForeignFormat(rawValue: name),
        let copy = IntervalCopy(try await store.beats(of: other), format), !copy.isUniform,
        copy.isCopy(of: recording)
      else { continue }
      return other
    }
    return nil
  }

  /// The outcome for a copy of a workout that the store has, or had; nil where the store never had the workout, and for other sessions.
  @concurrent private func answer(toCopyIn session: RecordedSession, in store: HealthStore) async throws -> Answer? {
    guard case .text(let text) = session.metadata[ImportedMetadata.workout], let workout = UUID(uuidString: text) else {
      return nil
    }
    if try await store.wasDeleted(workout) { return Answer(.deletedBefore) }
    guard try await !store.identifiers(SampleQuery(.identifier([workout]))).isEmpty else { return nil }
    return Answer(.unchanged, original: workout)
  }
}
