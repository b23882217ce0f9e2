import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The number of the last change; 0 in an empty store.
  func lastChange() throws(StoreError) -> Int64 {
    try connection.integer("SELECT ifnull(max(number), 0) FROM change")
  }

  /// Throws where nobody waits for the answer any more; asked before each sample and each chunk.
  func checkCancellation() throws(StoreError) {
    guard Task.isCancelled else { return }
    throw StoreError(.cancelled, "the question was withdrawn before it was answered")
  }

  /// Answers from one unchanging state of the file.
  func answer<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Snapshot<Value> {
    try connection.snapshot { () throws(StoreError) in
      let change = try lastChange()
      return Snapshot(value: try body(), change: change)
    }
  }

  /// The tables that a predicate speaks of.
  static let sampleTables = """
    sample JOIN type ON type.id = sample.type JOIN source ON source.id = sample.source
      LEFT JOIN device ON device.id = sample.device LEFT JOIN session ON session.id = sample.session
    """

  func samples(_ query: SampleQuery) throws(StoreError) -> [HealthSample] {
    let order = query.order.map { "\($0.key.column)\($0.isDescending ? " DESC" : "")" } + ["sample.id"]
    return try samples(
      query.predicate, suffix: " ORDER BY \(order.joined(separator: ", ")) LIMIT ?1",
      // For SQLite a negative limit is none.
      [query.limit.map { Int64(max(0, $0)) } ?? -1])
  }

  /// The samples that the predicate means; `suffix` goes on after it, with `arguments` as ?1, ?2 …
  private func samples(
    _ predicate: SamplePredicate, suffix: String, _ arguments: [Int64]
  ) throws(StoreError) -> [HealthSample] {
    let condition = try condition(predicate, firstParameter: Int32(arguments.count) + 1)
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.uuid, sample.type, sample.start, sample.end, sample.count, sample.sum,
        sample.average, sample.minimum, sample.maximum, sample.most_recent, sample.most_recent_start,
        sample.most_recent_end, session.uuid, sample.sync_identifier, sample.sync_version, sample.change,
        sample.device, \(Self.sourceColumns), \(Self.deviceColumns)
      FROM \(Self.sampleTables) WHERE (\(condition.text))\(suffix)
      """)
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index) + 1) }
    try condition.bind(to: &statement)
    let types = try sampleTypes()
    var samples: [HealthSample] = []
    while try statement.step() {
      try checkCancellation()
      guard let uuid = UUID(bytes: statement.bytes(1)),
        let type = types[statement.integer(2)],
        let span = TimeSpan(
          start: Timestamp(microseconds: statement.integer(3)), end: Timestamp(microseconds: statement.integer(4)))
      else { throw corrupt(sample: statement.integer(0)) }
      samples.append(
        HealthSample(
          id: uuid, type: type, source: Self.source(in: statement, from: 18),
          device: statement.isNull(17) ? nil : Self.device(in: statement, from: 23), start: span.start, end: span.end,
          count: Int(statement.integer(5)), summary: Self.summary(in: statement),
          metadata: try metadata(of: statement.integer(0), kind: .sample), session: UUID(bytes: statement.bytes(13)),
          syncIdentifier: statement.text(14), syncVersion: statement.optionalInteger(15), change: statement.integer(16))
      )
    }
    return samples
  }

  private static func summary(in row: borrowing Statement) -> SampleSummary? {
    guard let minimum = row.optionalReal(8), let maximum = row.optionalReal(9), let mostRecent = row.optionalReal(10),
      let span = TimeSpan(
        start: Timestamp(microseconds: row.integer(11)), end: Timestamp(microseconds: row.integer(12)))
    else { return nil }
    return SampleSummary(
      sum: row.optionalReal(6), average: row.optionalReal(7), minimum: minimum, maximum: maximum,
      mostRecent: mostRecent, mostRecentSpan: span)
  }

  func changes(_ query: ChangeQuery) throws(StoreError) -> ChangeSet {
    let last = try lastChange()
    let seen = max(0, query.anchor)
    var anchor = last
    if let limit = query.limit, seen < last { anchor = seen + min(Int64(max(1, limit)), last - seen) }
    // Bound, not written into the text: every text is compiled anew.
    let added = try samples(
      query.predicate, suffix: " AND sample.change > ?1 AND sample.change <= ?2 ORDER BY sample.change",
      [query.anchor, anchor])
    // What is there again was or will be added, and must not seem to be gone. What came back so that the predicate does
    // not mean it any more is gone for the caller.
    let condition = try condition(query.predicate, firstParameter: 4)
    var statement = try connection.prepare(
      """
      SELECT uuid, object, time, number FROM change WHERE number > ?1 AND number <= ?2 AND deleted
        AND CASE object WHEN ?3 THEN NOT EXISTS (SELECT 1 FROM session WHERE session.uuid = change.uuid)
          ELSE NOT EXISTS (
            SELECT 1 FROM \(Self.sampleTables) WHERE sample.uuid = change.uuid AND (\(condition.text))) END
      ORDER BY number
      """)
    try statement.bind(query.anchor, at: 1)
    try statement.bind(anchor, at: 2)
    try statement.bind(Int64(ObjectKind.session.rawValue), at: 3)
    try condition.bind(to: &statement)
    var deleted: [DeletedObject] = []
    while try statement.step() {
      guard let uuid = UUID(bytes: statement.bytes(0)) else { throw corrupt("change \(statement.integer(3))") }
      deleted.append(
        DeletedObject(
          id: uuid, isSession: statement.integer(1) == ObjectKind.session.rawValue,
          deleted: Timestamp(microseconds: statement.integer(2)), change: statement.integer(3)))
    }
    return ChangeSet(added: added, deleted: deleted, anchor: max(anchor, query.anchor))
  }

  /// The beats of a heartbeat series.
  func beats(ofSample uuid: UUID) throws(StoreError) -> HeartbeatSeries {
    let name = uuid.uuidString.lowercased()
    var statement = try connection.prepare(
      "SELECT id, count, timescale, start FROM sample WHERE uuid = ?1 AND timescale IS NOT NULL")
    try statement.bind(uuid.bytes, at: 1)
    guard try statement.step() else { throw StoreError(.notFound, "there is no heartbeat series \(name)") }
    let row = SampleRow(
      id: statement.integer(0), count: Int(clamping: max(0, statement.integer(1))),
      timescale: Int32(clamping: statement.integer(2)), start: Timestamp(microseconds: statement.integer(3)))
    return try series(of: row, object: "sample \(name)")
  }

  /// An error about a sample whose row is known: it names the sample as every other output does.
  func corrupt(sample row: Int64) -> StoreError {
    var name: String?
    if var statement = try? connection.prepare("SELECT uuid FROM sample WHERE id = ?1") {
      try? statement.bind(row, at: 1)
      if (try? statement.step()) ?? false { name = UUID(bytes: statement.bytes(0))?.uuidString.lowercased() }
    }
    return corrupt("sample \(name ?? "row \(row)")")
  }

  func corrupt(_ object: String) -> StoreError {
    StoreError(.corrupt(object: object), "what \(path) holds of \(object) is damaged; the rest is readable")
  }
}
