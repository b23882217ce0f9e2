package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Saves a whole session with the events that were found in it in one transaction, once: see ``CommitOutcome``.
  ///
  /// If this returns `.stored` or `.replaced`, the session is on the disk. `restore` allows a deleted session to return. `clock` is the
  /// one by which it is dated, where the store does not know that already.
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

  /// The sessions of which a row that a list shows is not as it was written.
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

  /// Empties the write-ahead log where nobody else uses the file just now: who copies the file alone then has everything.
  package func emptyLog() {
    try? opened().emptyLog()
  }

  /// The sync version of a stored session; nil if it is not in the store.
  package func syncVersion(of session: UUID) throws(StoreError) -> Int64? {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.row(of: session)?.syncVersion }
  }

  /// Whether the session is in the store, or was deleted from it. In both cases it is over.
  package func knows(_ session: UUID) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in
      if try connection.sessions.row(of: session) != nil { return true }
      return try connection.changeList.wasDeleted(session)
    }
  }

  /// From the start to the end of a stored session; nil if it is not in the store.
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
    // Announced as soon as it is deleted, even if its bytes could not be erased yet.
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }
}
