import FoundationEssentials
import HealthModel

/// The heart events of sessions: category samples that belong to their session and are deleted with it.
extension SessionTable {
  /// Inserts an event that was found in a session. `part` is the identity of the session's events, from which the
  /// event's own identity is derived.
  func insert(_ event: HeartEvent, of session: UUID, part: UUID, origin: SampleOrigin) throws(StoreError) {
    let id = try connection.samples.insert(
      CategoryContent(value: CategoryValue.notApplicable.rawValue),
      as: SampleRecord(
        uuid: event.identifier(in: part), type: .category(event.kind.type), start: event.span.start,
        end: event.span.end, sync: event.syncIdentity(in: session)), origin: origin)
    try connection.metadata.insert(event.metadata, of: id)
  }

  /// Replaces the events of a stored session by those that were found; see
  /// ``HealthStore/renewEvents(of:as:kinds:to:)``.
  func renewEvents(
    of session: UUID, as syncVersion: Int64, kinds: Set<HeartEvent.Kind>, to events: [HeartEvent]
  ) throws(StoreError) -> EventRenewal? {
    guard let row = try row(of: session), row.syncVersion == syncVersion else { return nil }
    var renewal = EventRenewal()
    var missing = Set(events)
    for (number, event) in try self.events(ofRow: row.id) where event.map({ kinds.contains($0.kind) }) ?? false {
      if let event, missing.remove(event) != nil {
        renewal.kept += 1
      } else {
        try connection.samples.delete(number)
        renewal.removed += 1
      }
    }
    let algorithm = try connection.metadata.quality(ofSession: row.id).algorithmVersion ?? 0
    let part = SessionPart.events.identifier(
      in: session, syncVersion: syncVersion, algorithmVersion: algorithm,
      dating: try connection.clocks.clock(of: row.id)?.dating ?? 0)
    let origin = try origin(ofRow: row.id)
    for event in events where missing.contains(event) {
      try insert(event, of: session, part: part, origin: origin)
      renewal.added += 1
    }
    if renewal.removed > 0 { try Erasure(connection: connection).note() }
    return renewal
  }

  /// The events that the rules find in a stored session outside of the store's workouts; nil where there is no such session.
  func findEvents(of session: UUID, by rules: HeartEventRules) throws(StoreError) -> [HeartEvent]? {
    guard let span = try span(of: session) else { return nil }
    return rules.events(
      rates: try rates(of: session), heartbeats: try beats(of: session), excluding: try workoutSpans(touching: span))
  }

  /// Removes heart events from the sessions of a workout's time that the rules do not find any more, within a
  /// transaction. The events of an unreadable session stay, and do not prevent the workout from being saved.
  ///
  /// - Returns: Whether anything was removed.
  func rescanEvents(during workout: TimeSpan, by rules: HeartEventRules) throws(StoreError) -> Bool {
    guard !rules.kinds.isEmpty else { return false }
    var sessions: [(number: Int64, version: Int64)] = []
    do {
      var statement = try connection.prepare(
        "SELECT id, sync_version FROM sessions WHERE start <= ?2 AND end >= ?1 ORDER BY id")
      try statement.bind(workout.start.microseconds, at: 1)
      try statement.bind(workout.end.microseconds, at: 2)
      while try statement.step() { sessions.append((statement.integer(0), statement.integer(1))) }
    }
    var hasRemoved = false
    for session in sessions {
      do throws(StoreError) {
        guard let id = try connection.samples.uuid(of: session.number),
          let events = try findEvents(of: id, by: rules)
        else { continue }
        let renewal = try renewEvents(of: id, as: session.version, kinds: rules.kinds, to: events)
        hasRemoved = hasRemoved || (renewal?.removed ?? 0) > 0
      } catch {
        guard error.isCorrupt else { throw error }
      }
    }
    return hasRemoved
  }

  /// The spans of the workouts that touch a time, whoever saved them: a store is one person's.
  func workoutSpans(touching span: TimeSpan) throws(StoreError) -> [TimeSpan] {
    // The end of the query's time is not part of it.
    let query = SampleQuery(
      .and([.type(.workout), .time(from: span.start, to: span.end.advanced(byMicroseconds: 1))]), order: [])
    return try SampleReader(connection: connection).samples(query).compactMap { TimeSpan(start: $0.start, end: $0.end) }
  }

  /// The numbers of a session's category samples, each with its event; nil for a sample that is not an event.
  func events(ofRow row: Int64) throws(StoreError) -> [(number: Int64, event: HeartEvent?)] {
    var samples: [(number: Int64, type: String, start: Int64, end: Int64)] = []
    do {
      var statement = try connection.prepare(
        """
        SELECT sample.id, type.identifier, sample.start, sample.end FROM samples AS sample
          JOIN types AS type ON type.id = sample.type
        WHERE sample.session = ?1 AND type.kind = 'category' ORDER BY sample.id
        """)
      try statement.bind(row, at: 1)
      while try statement.step() {
        samples.append((statement.integer(0), statement.text(1) ?? "", statement.integer(2), statement.integer(3)))
      }
    }
    var events: [(number: Int64, event: HeartEvent?)] = []
    for sample in samples {
      let span = TimeSpan(start: Timestamp(microseconds: sample.start), end: Timestamp(microseconds: sample.end))
      let metadata = try connection.metadata.values(of: sample.number)
      let type = SampleType(identifier: sample.type, kind: .category)
      events.append((sample.number, span.flatMap { HeartEvent(type, over: $0, metadata: metadata) }))
    }
    return events
  }

  private func origin(ofRow row: Int64) throws(StoreError) -> SampleOrigin {
    var statement = try connection.prepare("SELECT source, device FROM sessions WHERE id = ?1")
    try statement.bind(row, at: 1)
    guard try statement.step() else { throw connection.corrupt("session row \(row)") }
    return SampleOrigin(session: row, source: statement.integer(0), device: statement.optionalInteger(1))
  }
}

extension HeartEvent {
  /// The identifier of the event as a sample: events that differ in any part have different identifiers.
  fileprivate func identifier(in part: UUID) -> UUID {
    let number: UInt64 =
      switch kind {
      case .low: 1
      case .high: 2
      case .irregular: 3
      }
    return part.derived(part: number, version: rule.version)
      .derived(part: UInt64(bitPattern: span.start.microseconds), version: span.end.microseconds)
      .derived(part: (threshold ?? 0).bitPattern, version: 0)
  }
}

/// The changes in a session by a scan for heart events.
package struct EventRenewal: Hashable, Sendable {
  /// The number of new events.
  package var added: Int
  /// The number of stored events that the rules do not find any more.
  package var removed: Int
  /// The number of events that were stored before in the same form.
  package var kept: Int

  package init(added: Int = 0, removed: Int = 0, kept: Int = 0) {
    self.added = added
    self.removed = removed
    self.kept = kept
  }
}
