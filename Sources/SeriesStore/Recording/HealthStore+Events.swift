package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Makes the heart events of a stored session those that a scan has found, in one transaction: those that are stored as they
  /// are stay, and a second scan changes nothing.
  ///
  /// - Parameters:
  ///   - session: The session's identity.
  ///   - syncVersion: The version that was scanned.
  ///   - kinds: What was looked for; events of other kinds stay.
  ///   - events: What was found.
  /// - Returns: What was changed; nil where the store does not have that version of the session any more.
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

  /// Looks for the heart events of a stored session anew, outside of the store's workouts, and makes them those of the session.
  ///
  /// - Parameters:
  ///   - session: The session's identity.
  ///   - syncVersion: The version that is looked through.
  ///   - rules: What is looked for; events of other kinds stay.
  /// - Returns: As ``renewEvents(of:as:kinds:to:)``.
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

  /// Saves a whole session with the events that the rules find in it outside of the store's workouts, in one transaction, once: see
  /// ``commit(_:events:restore:clock:)``.
  ///
  /// - Parameters:
  ///   - session: The session, with the dates of its recording: where it was dated anew, it is moved to where it is.
  ///   - rules: What is looked for.
  ///   - workouts: Others that are not in the store yet.
  ///   - restore: Allows a deleted session to return.
  ///   - clock: The one by which it is dated, where the store does not know that already.
  /// - Returns: What became of it.
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
