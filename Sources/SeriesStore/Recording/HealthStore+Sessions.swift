package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Saves a whole session, with the events that were found in it, in one transaction; a session that the store already
  /// has is unchanged.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - events: The events that were found in it.
  ///   - restore: Allows a deleted session to return.
  ///   - clock: The clock by which the session is dated, where the store does not know it already.
  /// - Returns: The outcome. After `.stored` and `.replaced` the session is on the disk.
  /// - Throws: ``StoreError``; nothing was saved then.
  package func commit(
    _ session: RecordedSession, events: [HeartEvent] = [], restore: Bool = false, clock: RecordedClock? = nil
  ) throws(StoreError) -> CommitOutcome {
    let outcome = try opened().write { (connection) throws(StoreError) in
      try connection.sessions.commit(session, events: events, restore: restore, clock: clock)
    }
    notifyListeners()
    return outcome
  }

  /// All sessions, oldest first; ``StoreError/Code/corrupt(object:)`` where one of them cannot be read.
  package func sessions() throws(StoreError) -> [SessionSummary] {
    let file = try opened()
    let (readable, damages) = try readableSessions()
    if let damage = damages.first { throw file.connection.corrupt(damage.object) }
    return readable
  }

  /// All readable sessions, oldest first, and the damages of the others: a damaged session hides no other.
  package func readableSessions() throws(StoreError) -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let (readable, damages) = try opened().read { (connection) throws(StoreError) in try connection.sessions.all() }
    return (readable, damages)
  }

  /// The damages of sessions whose own row, or the row of one of whose samples, is not as it was written.
  package func alterations() throws(StoreError) -> [StoreDamage] {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.alterations() }
  }

  /// The rows of a stored session and its samples that are not as they were written, by their checksums; none for a session
  /// that is not in the store.
  package func alterations(of session: UUID) throws(StoreError) -> [StoreDamage] {
    try opened().read { (connection) throws(StoreError) in
      try connection.sessions.alterations(of: session)
    }
  }

  /// The session whose identifier begins with `name` (upper or lower case, at least four digits), or for `last` the one
  /// that started last. Throws ``StoreError/Code/notFound``, or ``StoreError/Code/ambiguous`` if several match.
  package func session(_ name: String) throws(StoreError) -> SessionSummary {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.session(named: name) }
  }

  /// Empties the write-ahead log where no other connection uses the file at this moment, so that a copy of the file
  /// alone is complete.
  package func emptyLog() {
    try? opened().emptyLog()
  }

  /// The sync version of a stored session; nil if it is not in the store.
  package func syncVersion(of session: UUID) throws(StoreError) -> Int64? {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.row(of: session)?.syncVersion }
  }

  /// Whether the session is in the store or was deleted from it. In both cases the recording is over.
  package func knows(_ session: UUID) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in
      if try connection.sessions.row(of: session) != nil { return true }
      return try connection.changeList.wasDeleted(session)
    }
  }

  /// The time from the start to the end of a stored session; nil if it is not in the store.
  package func span(of session: UUID) throws(StoreError) -> TimeSpan? {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.span(of: session) }
  }

  /// Whether a sample or a session was in the store and was deleted.
  package func wasDeleted(_ object: UUID) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in try connection.changeList.wasDeleted(object) }
  }

  /// The rates of a session in the order in which they arrived.
  package func rates(of session: UUID) throws(StoreError) -> [HeartRateValue] {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.rates(of: session) }
  }

  /// The beats of a session.
  package func beats(of session: UUID) throws(StoreError) -> HeartbeatSeries {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.beats(of: session) }
  }

  /// The gaps of a session in order.
  package func gaps(of session: UUID) throws(StoreError) -> [RecordingGap] {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.gaps(of: session) }
  }

  /// The points that somebody marked in a session, in order of time.
  package func markers(of session: UUID) throws(StoreError) -> [SessionMarker] {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.markers(of: session) }
  }

  /// Deletes a session so that none of its values is left in the store's files; a tombstone stays.
  ///
  /// If a reader uses the old state for more than ten seconds, the session is deleted, but its bytes may still be in the
  /// log; the error ``StoreError/Code/locked`` says so.
  package func delete(_ session: UUID) throws(StoreError) {
    let file = try opened()
    try file.write { (connection) throws(StoreError) in try connection.sessions.delete(session) }
    // Announced even if the bytes of the deleted session could not be erased yet.
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }
}

extension HealthStore {
  /// Makes the heart events of a stored session those that a scan has found, in one transaction: those that are stored as they
  /// are stay, and a second scan changes nothing.
  ///
  /// - Parameters:
  ///   - session: The session's identity.
  ///   - syncVersion: The version that was scanned.
  ///   - kinds: The kinds of events that the scan looked for; events of other kinds stay.
  ///   - events: The events that were found.
  /// - Returns: The changes; nil where the store does not have that version of the session any more.
  /// - Throws: ``StoreError``; nothing was changed.
  package func renewEvents(
    of session: UUID, as syncVersion: Int64, kinds: Set<HeartEvent.Kind>, to events: [HeartEvent]
  ) throws(StoreError) -> EventRenewal? {
    let file = try opened()
    let renewal = try file.write { (connection) throws(StoreError) in
      try connection.sessions.renewEvents(of: session, as: syncVersion, kinds: kinds, to: events)
    }
    guard let renewal, renewal.added + renewal.removed > 0 else { return renewal }
    defer { notifyListeners() }
    if renewal.removed > 0 { try Erasure(connection: file.connection).finish() }
    return renewal
  }

  /// Scans a stored session anew for heart events outside of the store's workouts, and stores the events found instead
  /// of the present ones.
  ///
  /// - Parameters:
  ///   - session: The session's identity.
  ///   - syncVersion: The version that is scanned.
  ///   - rules: The rules of the events; events of other kinds stay.
  /// - Returns: The changes, like ``renewEvents(of:as:kinds:to:)``.
  /// - Throws: ``StoreError``; nothing was changed.
  package func rescanEvents(
    of session: UUID, as syncVersion: Int64, by rules: HeartEventRules
  ) throws(StoreError) -> EventRenewal? {
    let found = try opened().read { (connection) throws(StoreError) in
      try connection.sessions.findEvents(of: session, by: rules)
    }
    guard let found else { return nil }
    return try renewEvents(of: session, as: syncVersion, kinds: rules.kinds, to: found)
  }

  /// Saves a whole session, with the events that the rules find in it outside of the store's workouts, in one
  /// transaction; see ``commit(_:events:restore:clock:)``.
  ///
  /// - Parameters:
  ///   - session: The session, with the dates of its recording. Where the stored session was dated anew, this one is
  ///     moved by the same distance.
  ///   - rules: The rules of the events.
  ///   - workouts: The times of further workouts, which are not in the store yet.
  ///   - restore: Allows a deleted session to return.
  ///   - clock: The clock by which the session is dated, where the store does not know it already.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``; nothing was saved then.
  package func commit(
    _ session: RecordedSession, eventsBy rules: HeartEventRules, excluding workouts: [TimeSpan] = [],
    restore: Bool = false, clock: RecordedClock? = nil
  ) throws(StoreError) -> CommitOutcome {
    var session = session
    if let shift = try self.clock(of: session.id)?.shift, shift != 0 {
      do throws(SeriesError) { session = try session.moved(by: shift) } catch {
        throw StoreError(.invalid, "session \(session.id.uuidString.lowercased()) cannot be dated: \(error)")
      }
    }
    let stored = try TimeSpan(start: session.start, end: session.end).map { (span) throws(StoreError) in
      try opened().read { (connection) throws(StoreError) in try connection.sessions.workoutSpans(touching: span) }
    }
    let events = rules.events(
      rates: session.rates, heartbeats: session.heartbeats, excluding: workouts + (stored ?? []))
    return try commit(session, events: events, restore: restore, clock: clock)
  }
}

extension HealthStore {
  /// Saves a workout of another program together with the samples that the recorder computed for it, in one
  /// transaction; a workout that the store already has is unchanged.
  ///
  /// - Parameters:
  ///   - workout: The workout, with its sync identity. The samples that it has collected are in the store or among
  ///     `computed`.
  ///   - computed: The samples that the recorder computed for the workout.
  ///   - source: The program that saves the workout.
  ///   - recorder: The source of the computed samples: a program sees them only as far as it may read such samples.
  ///   - rules: The rules of heart events. The sessions of the workout's time are scanned anew by these rules, since
  ///     a workout has no heart events.
  ///   - clock: The clock by which the workout is dated.
  /// - Returns: The outcome for the workout.
  /// - Throws: ``StoreError``; nothing was saved then.
  package func commit(
    _ workout: NewSample, computed: [NewSample], as source: SourceRevision, computedBy recorder: SourceRevision,
    eventRules rules: HeartEventRules, clock: RecordedClock? = nil
  ) throws(StoreError) -> CommitOutcome {
    if try wasDeleted(workout.id) { return .deletedBefore }
    let file = try opened()
    let (outcome, hasRemoved) = try file.write { (connection) throws(StoreError) in
      _ = try connection.samples.save(computed, as: recorder)
      let outcome = try connection.samples.save([workout], as: source).first ?? .unchanged
      if let clock, outcome == .stored, let number = try connection.samples.number(of: workout.id) {
        try connection.clocks.set(clock, of: number)
      }
      return (outcome, try connection.sessions.rescanEvents(during: workout.span, by: rules))
    }
    notifyListeners()
    // An error is no failure: the workout is stored, and the next deletion or opening erases the bytes of removed
    // events.
    if hasRemoved { try? Erasure(connection: file.connection).finish() }
    return outcome
  }
}

extension UUID {
  /// The identifier of the sample of the energy that a strap counted during the workout with this identifier.
  package var energySample: UUID { derived(part: 1, version: 1) }

  /// The identifier of the sample of the heart rate recovery after the workout with this identifier.
  package var recoverySample: UUID { derived(part: 2, version: 1) }
}
