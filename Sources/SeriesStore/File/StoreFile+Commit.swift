import FoundationEssentials
import HealthModel

extension StoreFile {
  /// Saves a session; see ``HealthStore/commit(_:restore:)``.
  func commit(_ session: RecordedSession, restore: Bool) throws(StoreError) -> CommitOutcome {
    try Self.validate(session)
    return try connection.transaction { () throws(StoreError) in
      let existing = try row(of: session.id)
      if let existing {
        guard try isNewer(session, than: existing) else { return .unchanged }
        try deleteContents(ofSession: existing.id)
      } else if !restore, try wasDeleted(session.id) {
        return .deletedBefore
      }
      try insert(session, row: existing?.id)
      return existing == nil ? .stored : .replaced
    }
  }

  private static func validate(_ session: RecordedSession) throws(StoreError) {
    let range = Timestamp.calendarRange
    let times = [session.start, session.end] + [session.rates.first, session.rates.last].compactMap { $0?.time }
    let problem: String? =
      if !times.allSatisfy(range.contains) {
        "it lies outside of the years 1 to 9999"
      } else if session.end < session.start {
        "it ends before it starts"
      } else if zip(session.rates, session.rates.dropFirst()).contains(where: { $1.time < $0.time }) {
        "its rates are not in order of time"
      } else {
        nil
      }
    if let problem {
      throw StoreError(.invalid, "session \(session.id.uuidString.lowercased()) cannot be stored: \(problem)")
    }
  }

  /// Whether more was received of the session than is stored, or the same was worked out by a later algorithm.
  private func isNewer(_ session: RecordedSession, than stored: (id: Int64, syncVersion: Int64)) throws(StoreError)
    -> Bool
  {
    guard session.syncVersion == stored.syncVersion else { return session.syncVersion > stored.syncVersion }
    let quality = try metadata(of: stored.id, kind: .quality)
    return session.algorithmVersion > RecordedSession.algorithmVersion(in: quality)
  }

  /// The row and sync version of a session; nil where it is not in the store.
  func row(of session: UUID) throws(StoreError) -> (id: Int64, syncVersion: Int64)? {
    var statement = try connection.prepare("SELECT id, sync_version FROM session WHERE uuid = ?1")
    try statement.bind(session.bytes, at: 1)
    return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }

  /// Whether a session or sample was deleted.
  func wasDeleted(_ object: UUID) throws(StoreError) -> Bool {
    var statement = try connection.prepare("SELECT 1 FROM change WHERE uuid = ?1 AND deleted")
    try statement.bind(object.bytes, at: 1)
    return try statement.step()
  }

  private func insert(_ session: RecordedSession, row: Int64?) throws(StoreError) {
    let source = try identifier(of: session.source)
    let device = try identifier(of: session.device)
    let change = try recordChange(of: session.id, object: .session, deleted: false)
    var statement = try connection.prepare(
      """
      INSERT INTO session (id, uuid, sync_version, change, source, device, start, end, end_reason, coverage_floor,
        coverage_ceiling, sdnn, rmssd, pnn50)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """)
    try statement.bind(row, at: 1)
    try statement.bind(session.id.bytes, at: 2)
    try statement.bind(session.syncVersion, at: 3)
    try statement.bind(change, at: 4)
    try statement.bind(source, at: 5)
    try statement.bind(device, at: 6)
    try statement.bind(session.start.microseconds, at: 7)
    try statement.bind(session.end.microseconds, at: 8)
    try statement.bind(session.endReason, at: 9)
    try statement.bind(session.coverage?.floor, at: 10)
    try statement.bind(session.coverage?.ceiling, at: 11)
    try statement.bind(session.variability.sdnnMilliseconds, at: 12)
    try statement.bind(session.variability.rmssdMilliseconds, at: 13)
    try statement.bind(session.variability.pnn50, at: 14)
    try statement.run()
    let owner = connection.lastInsertedRow
    try insert(session.metadata, of: owner, kind: .session)
    try insert(session.quality, of: owner, kind: .quality)
    try insert(session.gaps, of: owner)
    let origin = SampleOrigin(session: owner, source: source, device: device)
    try insertSamples(of: session, origin: origin)
  }

  private func insert(_ gaps: [RecordingGap], of session: Int64) throws(StoreError) {
    guard !gaps.isEmpty else { return }
    var statement = try connection.prepare(
      "INSERT INTO gap (session, ordinal, reason, detail, start, end, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    for (ordinal, gap) in gaps.enumerated() {
      try statement.bind(session, at: 1)
      try statement.bind(Int64(ordinal), at: 2)
      try statement.bind(gap.reason, at: 3)
      try statement.bind(gap.detail, at: 4)
      try statement.bind(gap.start.microseconds, at: 5)
      try statement.bind(gap.end.microseconds, at: 6)
      try statement.bind(gap.estimatedLostBeats, at: 7)
      try statement.run()
    }
  }

  /// What the change table calls the kinds of object.
  enum ObjectKind: Int64 {
    case session = 1
    case sample = 2
  }

  /// Takes the next number of the change sequence, which has no holes and is never used twice.
  @discardableResult
  func recordChange(of object: UUID, object kind: ObjectKind, deleted: Bool) throws(StoreError) -> Int64 {
    var statement = try connection.prepare(
      """
      INSERT INTO change (number, uuid, object, deleted, time)
      VALUES ((SELECT ifnull(max(number), 0) + 1 FROM change), ?1, ?2, ?3, ?4)
      """)
    try statement.bind(object.bytes, at: 1)
    try statement.bind(kind.rawValue, at: 2)
    try statement.bind(Int64(deleted ? 1 : 0), at: 3)
    try statement.bind(Timestamp.now().microseconds, at: 4)
    try statement.run()
    return connection.lastInsertedRow
  }
}
