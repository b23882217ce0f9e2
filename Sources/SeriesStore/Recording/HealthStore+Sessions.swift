package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Saves a session with everything in it in one transaction, once: see ``CommitOutcome``.
  ///
  /// When this returns `.stored` or `.replaced` it is on the disk. `restore` brings a deleted session back.
  package func commit(_ session: RecordedSession, restore: Bool = false) throws(StoreError) -> CommitOutcome {
    let outcome = try opened().write { (connection) throws(StoreError) in
      try connection.sessions.commit(session, restore: restore)
    }
    signalChanges()
    return outcome
  }

  /// All sessions, oldest first; ``StoreError/Code/corrupt(object:)`` where one of them cannot be read.
  package func sessions() throws(StoreError) -> [SessionSummary] {
    let file = try opened()
    let (readable, damages) = try readableSessions()
    if let damage = damages.first { throw file.connection.corrupt(damage.object) }
    return readable
  }

  /// All sessions that can be read, oldest first, and what is damaged of the others: a damaged session hides no other.
  package func readableSessions() throws(StoreError) -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let (readable, damages) = try opened().read { (connection) throws(StoreError) in try connection.sessions.all() }
    return (readable, damages)
  }

  /// The session whose identifier begins with `name` (upper or lower case, at least four digits), or for `last` the
  /// one that started last; ``StoreError/Code/notFound``, or ``StoreError/Code/ambiguous`` where several match.
  package func session(_ name: String) throws(StoreError) -> SessionSummary {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.session(named: name) }
  }

  /// The sync version with which the session is in the store; nil where it is not.
  package func syncVersion(of session: UUID) throws(StoreError) -> Int64? {
    try opened().read { (connection) throws(StoreError) in try connection.sessions.row(of: session)?.syncVersion }
  }

  /// Whether the session is in the store, or was and has been deleted: either way it is over.
  package func knows(_ session: UUID) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in
      if try connection.sessions.row(of: session) != nil { return true }
      return try connection.changeList.wasDeleted(session)
    }
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

  /// Deletes a session so that none of its values is left in the store's files; a tombstone stays.
  ///
  /// Where a reader holds on to the old state for more than ten seconds the session is deleted, its bytes may be left in
  /// the log, and the error says so (``StoreError/Code/locked``).
  package func delete(_ session: UUID) throws(StoreError) {
    let file = try opened()
    try file.write { (connection) throws(StoreError) in try connection.sessions.delete(session) }
    // Told when it is deleted, also where its bytes could not be erased yet.
    defer { signalChanges() }
    try Erasure(connection: file.connection).finish()
  }
}
