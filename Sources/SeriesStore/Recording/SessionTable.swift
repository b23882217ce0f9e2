import FoundationEssentials
import HealthModel

/// Recording sessions: a row, whose number is that of the change that saved it, gaps, markers, and samples.
struct SessionTable {
  let connection: Connection

  /// The row and sync version of a session; nil where it is not in the store.
  func row(of session: UUID) throws(StoreError) -> (id: Int64, syncVersion: Int64)? {
    var statement = try connection.prepare(
      "SELECT id, sync_version FROM sessions WHERE id IN \(ChangeList.numbers(of: "?1"))")
    try statement.bind(session.bytes, at: 1)
    return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }

  /// The time from the start to the end of a session; nil where it is not in the store.
  func span(of session: UUID) throws(StoreError) -> TimeSpan? {
    guard let row = try row(of: session) else { return nil }
    var statement = try connection.prepare("SELECT start, end FROM sessions WHERE id = ?1")
    try statement.bind(row.id, at: 1)
    guard try statement.step() else { return nil }
    return TimeSpan(
      start: Timestamp(microseconds: statement.integer(0)), end: Timestamp(microseconds: statement.integer(1)))
  }

  func existingRow(of session: UUID) throws(StoreError) -> Int64 {
    guard let row = try row(of: session) else {
      throw StoreError(.notFound, "there is no session \(session.uuidString.lowercased())")
    }
    return row.id
  }

  static func name(of session: UUID) -> String {
    "session \(session.uuidString.lowercased())"
  }

  /// The row, count and start of the sample of that type in a session; nil where the session has none.
  private func sample(_ type: SampleType, of session: UUID) throws(StoreError) -> (
    id: Int64, count: Int, start: Timestamp
  )? {
    var statement = try connection.prepare(
      """
      SELECT id, count, start FROM samples
      WHERE session = ?1 AND type IN (SELECT id FROM types WHERE identifier = ?2)
      """)
    try statement.bind(try existingRow(of: session), at: 1)
    try statement.bind(type.identifier, at: 2)
    guard try statement.step() else { return nil }
    return (
      statement.integer(0), Int(clamping: max(0, statement.integer(1))), Timestamp(microseconds: statement.integer(2))
    )
  }

  /// The rates of a session in the order of their arrival.
  func rates(of session: UUID) throws(StoreError) -> [HeartRateValue] {
    guard let sample = try sample(.quantity(.heartRate), of: session) else { return [] }
    let object = Self.name(of: session)
    let whole = try connection.quantitySeries.quantities(of: sample.id, count: sample.count, object: object)
    do {
      return try Self.rates(in: whole)
    } catch {
      throw connection.corrupt(object)
    }
  }

  private static func rates(in chunk: QuantityChunk) throws(ChunkError) -> [HeartRateValue] {
    var rates: [HeartRateValue] = []
    rates.reserveCapacity(chunk.times.count)
    for index in chunk.times.indices {
      guard let beatsPerMinute = UInt16(exactly: chunk.values[index]) else { throw .invalid(field: "rate") }
      let contact = chunk.contacts.isEmpty ? .notSupported : SensorContact(rawValue: chunk.contacts[index])
      guard let contact else { throw .invalid(field: "contact") }
      rates.append(
        HeartRateValue(
          time: Timestamp(microseconds: chunk.times[index]), beatsPerMinute: beatsPerMinute, contact: contact))
    }
    for energy in chunk.energies { rates[energy.index].energyKilojoules = energy.kilojoules }
    return rates
  }

  /// The beats of a session.
  func beats(of session: UUID) throws(StoreError) -> HeartbeatSeries {
    guard let sample = try sample(.heartbeatSeries, of: session) else { return HeartbeatSeries() }
    return try connection.heartbeatSeries.series(
      of: sample.id, count: sample.count, start: sample.start, object: Self.name(of: session))
  }

  /// The gaps of a session in order.
  func gaps(of session: UUID) throws(StoreError) -> [RecordingGap] {
    var statement = try connection.prepare(
      "SELECT reason, detail, start, end, lost FROM gaps WHERE session = ?1 ORDER BY ordinal")
    try statement.bind(try existingRow(of: session), at: 1)
    var gaps: [RecordingGap] = []
    while try statement.step() {
      gaps.append(
        RecordingGap(
          reason: statement.text(0) ?? "", detail: statement.text(1),
          start: Timestamp(microseconds: statement.integer(2)), end: Timestamp(microseconds: statement.integer(3)),
          estimatedLostBeats: statement.optionalReal(4)))
    }
    return gaps
  }

  /// The points that somebody marked in a session, in order of time.
  func markers(of session: UUID) throws(StoreError) -> [SessionMarker] {
    // A file of an earlier program has no table of markers.
    guard try connection.has(Schema.markers) else { return [] }
    var statement = try connection.prepare("SELECT time, text FROM markers WHERE session = ?1 ORDER BY ordinal")
    try statement.bind(try existingRow(of: session), at: 1)
    var markers: [SessionMarker] = []
    while try statement.step() {
      markers.append(
        SessionMarker(time: Timestamp(microseconds: statement.integer(0)), text: statement.text(1) ?? ""))
    }
    return markers
  }

  /// Deletes a session and everything that belongs to it; ``Erasure`` removes its bytes.
  func delete(_ session: UUID) throws(StoreError) {
    try delete(session, row: try existingRow(of: session))
    try connection.provenance.deleteUnused()
    try Erasure(connection: connection).note()
  }

  private func delete(_ session: UUID, row: Int64) throws(StoreError) {
    let source = try deleteContents(of: row)
    try connection.changeList.record(
      session, type: try connection.types.row(of: .session), source: source, deleted: true)
  }

  /// Removes a session's row and everything that belongs to it, and records the deletion of its samples. Returns its
  /// source.
  func deleteContents(of row: Int64) throws(StoreError) -> Int64 {
    // Everything that the session owns is removed, including samples with a damaged identifier.
    var samples: [Int64] = []
    do {
      var statement = try connection.prepare("SELECT id FROM samples WHERE session = ?1 ORDER BY id")
      try statement.bind(row, at: 1)
      while try statement.step() { samples.append(statement.integer(0)) }
    }
    for sample in samples { try connection.samples.delete(sample) }
    let source: Int64
    do {
      var statement = try connection.prepare("SELECT source FROM sessions WHERE id = ?1")
      try statement.bind(row, at: 1)
      source = try statement.step() ? statement.integer(0) : 0
    }
    try connection.run("DELETE FROM gaps WHERE session = ?1", row)
    try connection.run("DELETE FROM markers WHERE session = ?1", row)
    try connection.clocks.delete(of: row)
    try connection.metadata.delete(of: row)
    try connection.run("DELETE FROM sessions WHERE id = ?1", row)
    return source
  }
}

/// The rows of sessions that are not as they were written: they are read as they are, and reported.
extension SessionTable {
  /// The damages of sessions whose own row, or the row of one of whose samples, is not that of its checksum. A list
  /// shows these rows.
  func alterations() throws(StoreError) -> [StoreDamage] {
    var statement = try connection.prepare(
      """
      SELECT ifnull(lower(hex(change.uuid)), 'row ' || session.id) FROM sessions AS session
        LEFT JOIN changes AS change ON change.number = session.id
      WHERE \(Self.isAltered(Schema.sessions, as: "session")) OR EXISTS (SELECT 1 FROM samples AS sample
        WHERE sample.session = session.id AND \(Self.isAltered(Schema.samples, as: "sample")))
      ORDER BY session.start, session.id
      """)
    var damages: [StoreDamage] = []
    while try statement.step() {
      damages.append(StoreDamage(object: "session \(statement.text(0) ?? "")", problem: "it is not as it was written"))
    }
    return damages
  }

  /// The tables with the rows of a session, of its samples and of their content. The key column of each has the number
  /// of the session or sample in front of its lowest bits.
  private static let parts =
    [ContentTable(table: Schema.sessions, key: "id"), ContentTable(table: Schema.samples, key: "id")]
    + [Schema.gaps, Schema.markers].map { ContentTable(table: $0, key: "session") }
    + [Schema.metadata, Schema.associations, Schema.clocks].map { ContentTable(table: $0, key: "owner") }
    + QuantityContent.tables + HeartbeatContent.tables

  /// The damages of a session: each table with rows of the session, or of one of its samples, that are not those of
  /// their checksums.
  func alterations(of session: UUID) throws(StoreError) -> [StoreDamage] {
    guard let row = try row(of: session) else { return [] }
    let name = "session \(session.uuidString.lowercased().filter { $0 != "-" })"
    var damages: [StoreDamage] = []
    for part in Self.parts {
      if Schema.laterTables.contains(part.table.name), try !connection.has(part.table) { continue }
      // A range of its keys, so that the rows of others are not read.
      var statement = try connection.prepare(
        """
        SELECT count(*) FROM (SELECT ?1 AS number UNION ALL SELECT id FROM samples WHERE session = ?1) AS object
          CROSS JOIN \(part.table.name) AS part ON part.\(part.key) BETWEEN object.number << \(part.shift)
            AND (object.number << \(part.shift)) | ((1 << \(part.shift)) - 1)
        WHERE \(Self.isAltered(part.table, as: "part"))
        """)
      try statement.bind(row.id, at: 1)
      guard try statement.step(), case let count = statement.integer(0), count > 0 else { continue }
      let rows = count == 1 ? "a row of \(part.table.name) is" : "\(count) rows of \(part.table.name) are"
      damages.append(StoreDamage(object: name, problem: "\(rows) not as it was written"))
    }
    return damages
  }

  private static func isAltered(_ table: Table, as name: String) -> String {
    let columns = table.columns.map { "\(name).\($0)" }.joined(separator: ", ")
    return "\(name).\(Table.checksum) IS NOT \(RowChecksum.name)(\(columns))"
  }
}
