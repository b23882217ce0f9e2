import FoundationEssentials

/// Rows that somebody changed: they are read as they are, and named.
extension SessionTable {
  /// The sessions whose own row, or one of whose samples, is not that of its checksum: what a list shows.
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

  /// The tables in which a session, its samples and their content are, with the column that tells whose row it is, by its number
  /// in front of its lowest bits.
  private static let parts =
    [ContentTable(table: Schema.sessions, key: "id"), ContentTable(table: Schema.samples, key: "id")]
    + [Schema.gaps, Schema.markers].map { ContentTable(table: $0, key: "session") }
    + [Schema.metadata, Schema.associations, Schema.clocks].map { ContentTable(table: $0, key: "owner") }
    + QuantityContent.tables + HeartbeatContent.tables

  /// The tables that have rows of a session, or of one of its samples, that are not those of their checksums.
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
