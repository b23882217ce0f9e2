import FoundationEssentials
import HealthModel

/// The heart events of sessions: category samples that belong to their session and are deleted with it.
extension SessionTable {
  /// Inserts an event that was found in a session. `part` is the identity of the session's events, from which its own is derived.
  func insert(_ event: HeartEvent, of session: UUID, part: UUID, origin: SampleOrigin) throws(StoreError) {
    let id = try connection.samples.insert(
      CategoryContent(value: CategoryValue.notApplicable.rawValue),
      as: SampleRecord(
        uuid: event.identifier(in: part), type: .category(event.kind.type), start: event.span.start,
        end: event.span.end, sync: event.syncIdentity(in: session)), origin: origin)
    try connection.metadata.insert(event.metadata, of: id)
  }

  /// Makes the events of a stored session those that were found; see ``HealthStore/renewEvents(of:as:kinds:to:)``.
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
    let part = SessionPart.events.identifier(in: session, syncVersion: syncVersion, algorithmVersion: algorithm)
    let origin = try origin(ofRow: row.id)
    for event in events where missing.contains(event) {
      try insert(event, of: session, part: part, origin: origin)
      renewal.added += 1
    }
    if renewal.removed > 0 { try Erasure(connection: connection).note() }
    return renewal
  }

  /// The numbers of a session's category samples, each with its event; nil for a sample that is none.
  private func events(ofRow row: Int64) throws(StoreError) -> [(number: Int64, event: HeartEvent?)] {
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
  /// Its identifier as a sample: another one wherever anything of it is different.
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
