import FoundationEssentials
import HealthModel

/// Answers about the objects that were saved and deleted since a change.
struct ChangeReader {
  let connection: Connection

  /// The identity of the store; nil where its row is damaged.
  func store() throws(StoreError) -> UUID? {
    var statement = try connection.prepare("SELECT uuid FROM store")
    return try statement.step() ? UUID(bytes: statement.bytes(0)) : nil
  }

  func changes(_ query: ChangeQuery) throws(StoreError) -> ChangeSet {
    let last = try connection.changeList.last()
    let seen = try number(of: query.anchor, last: last)
    var end = last
    if let limit = query.limit, seen < last { end = seen + min(Int64(max(1, limit)), last - seen) }
    // The numbers are bound and not part of the text, since each new text would be compiled.
    let added = try SampleReader(connection: connection).samples(
      query.predicate, suffix: " AND sample.id > ?1 AND sample.id <= ?2 ORDER BY sample.id", [seen, end])
    return ChangeSet(
      added: added, sessions: try sessions(query.predicate, after: seen, to: end),
      deleted: try deleted(query.predicate, after: seen, to: end), anchor: try anchor(at: end), hasMore: end < last)
  }

  /// The changes after `seen` that a reader may see, with the number of the last one; nil if the reader sees no change.
  ///
  /// The reading goes from one visible change to the next, and does not look at those between. The numbers in the
  /// answer are 0, since they would reveal how many other changes there are.
  func changes(
    _ query: ChangeQuery, after seen: Int64, in scope: ReadScope
  ) throws(StoreError) -> (changes: ChangeSet, last: Int64)? {
    var numbers = try numbers(after: seen, in: scope, limit: query.limit)
    var hasMore = false
    if let limit = query.limit, numbers.count > max(1, limit) {
      numbers.removeLast()
      hasMore = true
    }
    guard let last = numbers.last else { return nil }
    let added = try SampleReader(connection: connection, scope: scope).samples(
      query.predicate, suffix: " ORDER BY sample.id", [seen, last], by: .saving)
    let deleted = try deleted(query.predicate, after: seen, to: last, in: scope)
    return (ChangeSet(added: added, sessions: [], deleted: deleted, anchor: .start, hasMore: hasMore), last)
  }

  /// The numbers of visible changes in order; one more than `limit`, if there are more.
  private func numbers(after seen: Int64, in scope: ReadScope, limit: Int?) throws(StoreError) -> [Int64] {
    let condition = try connection.condition(.all, firstParameter: 3, in: scope, by: .changes)
    var statement = try connection.prepare("SELECT number FROM \(condition.tables) ORDER BY number LIMIT ?2")
    try statement.bind(seen, at: 1)
    // SQLite treats a negative limit as none.
    try statement.bind(limit.map { Int64(max(1, $0)).addingSaturated(1) } ?? -1, at: 2)
    try condition.bind(to: &statement)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.integer(0)) }
    return numbers
  }

  /// The changes after one change and up to another, for live queries: each combination of type, source and deletion
  /// once, and of types that are granted object by object each object.
  func kinds(after first: Int64, to last: Int64) throws(StoreError) -> [StoreChange] {
    var statement = try connection.prepare(
      """
      SELECT DISTINCT changes.type, source.identifier, changes.deleted,
        CASE WHEN changes.type IN (SELECT id FROM types WHERE kind = '\(SampleKind.visionPrescription.rawValue)')
          THEN changes.uuid END
      FROM changes LEFT JOIN sources AS source ON source.id = changes.source WHERE number > ?1 AND number <= ?2
      """)
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    let types = try connection.types.all()
    var kinds: [StoreChange] = []
    while try statement.step() {
      kinds.append(
        StoreChange(
          type: types[statement.integer(0)], source: statement.text(1), object: UUID(bytes: statement.bytes(3)),
          isDeletion: statement.integer(2) != 0))
    }
    return kinds
  }

  private func sessions(
    _ predicate: SamplePredicate, after first: Int64, to last: Int64
  ) throws(StoreError) -> [SessionSummary] {
    let condition = try connection.condition(predicate, firstParameter: 3)
    var rows: [Int64] = []
    var statement = try connection.prepare(
      """
      SELECT sample.id FROM \(SampleReader.sessionTables)
      WHERE (\(condition.text)) AND sample.id > ?1 AND sample.id <= ?2 ORDER BY sample.id
      """)
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    try condition.bind(to: &statement)
    while try statement.step() { rows.append(statement.integer(0)) }
    var sessions: [SessionSummary] = []
    for row in rows {
      try connection.checkCancellation()
      sessions += try connection.sessions.summary(ofRow: row)
    }
    return sessions
  }

  /// The deletions, except of objects that exist again: these were or will be added, and must not seem deleted. An
  /// object that returned in a form which the predicate does not match, or the reader may not see, is deleted for the
  /// caller.
  private func deleted(
    _ predicate: SamplePredicate, after first: Int64, to last: Int64, in scope: ReadScope? = nil
  ) throws(StoreError) -> [DeletedObject] {
    var condition = try connection.condition(predicate, firstParameter: 3, in: scope, by: .changes)
    let isSeen = if let scope { try condition.isVisible("sample", uuid: "tombstone.uuid", in: scope) } else { "1" }
    let sessions = """
      AND NOT EXISTS (SELECT 1 FROM \(SampleReader.sessionTables)
        WHERE sample.id IN \(ChangeList.numbers(of: "tombstone.uuid")) AND (\(condition.text)))
      """
    var statement = try connection.prepare(
      """
      SELECT tombstone.uuid, tombstone.number, tombstone.type, tombstone_source.identifier,
        (SELECT time FROM commits WHERE first <= tombstone.number ORDER BY first DESC LIMIT 1)
      FROM \(scope == nil ? "changes" : condition.tables) AS tombstone
        LEFT JOIN sources AS tombstone_source ON tombstone_source.id = tombstone.source
      WHERE tombstone.number > ?1 AND tombstone.number <= ?2 AND tombstone.deleted
        AND NOT EXISTS (SELECT 1 FROM \(SampleReader.tables)
          WHERE sample.id IN \(ChangeList.numbers(of: "tombstone.uuid")) AND \(isSeen) AND (\(condition.text)))
        \(scope == nil ? sessions : "")
      ORDER BY tombstone.number
      """)
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    try condition.bind(to: &statement)
    var deleted: [DeletedObject] = []
    while try statement.step() {
      guard let uuid = UUID(bytes: statement.bytes(0)) else {
        throw connection.corrupt("change \(statement.integer(1))")
      }
      deleted.append(
        DeletedObject(
          id: uuid, type: try connection.types.type(row: statement.integer(2)), source: statement.text(3),
          deleted: Timestamp(microseconds: statement.integer(4)), change: scope == nil ? statement.integer(1) : 0))
    }
    return deleted
  }

  /// The anchor after a change; the start without one.
  func anchor(at number: Int64) throws(StoreError) -> ChangeAnchor {
    guard number > 0 else { return .start }
    guard let store = try store(), let digest = try connection.changeList.digest(of: number) else {
      throw connection.corrupt("change \(number)")
    }
    return ChangeAnchor(.init(store: store, number: number, digest: Int32(truncatingIfNeeded: digest)))
  }

  /// The change of an anchor; throws if it is not in the history of this file.
  func number(of anchor: ChangeAnchor, last: Int64) throws(StoreError) -> Int64 {
    guard anchor != .start else { return 0 }
    guard let place = anchor.place, place.store == (try store()) else {
      throw StoreError(
        .foreignAnchor, "the anchor is of another store than \(connection.path); begin at the start")
    }
    guard place.number <= last, let digest = try connection.changeList.digest(of: place.number),
      Int32(truncatingIfNeeded: digest) == place.digest
    else {
      throw StoreError(
        .lostAnchor,
        "\(connection.path) has no such change \(place.number) any more: it is an older copy; begin at the start")
    }
    return place.number
  }
}
