extension StoreCheck {
  /// Names the rows whose checksum is not that of their values, each with the session or sample that it belongs to.
  mutating func lookAtRows() throws(StoreError) {
    var owners = [
      Self.quoted(Schema.samples): "id", Self.quoted(Schema.sessions): "id", Self.quoted(Schema.gaps): "session",
      Self.quoted(Schema.markers): "session", Self.quoted(Schema.clocks): "owner",
      Self.quoted(Schema.metadata): "owner", Self.quoted(Schema.associations): "owner",
    ]
    /// Those that a sample's content is read from.
    var contents: Set = [Self.quoted(Schema.samples)]
    try look(at: "the list of contents") { (check) throws(StoreError) in
      for table in try check.connection.samples.contentTables() {
        owners[table.name] = "\(table.column) >> \(table.shift)"
        contents.insert(table.name)
      }
    }
    var tables: [SealedTable] = []
    try look(at: "the columns of tables") { (check) throws(StoreError) in tables = try check.sealedTables() }
    for table in tables {
      let isContent = contents.contains(table.name)
      try look(at: "table \(table.plainName)") { (check) throws(StoreError) in
        try check.lookAtRows(of: table, owner: owners[table.name], isContent: isContent)
      }
    }
  }

  private mutating func lookAtRows(
    of table: SealedTable, owner: String?, isContent: Bool
  ) throws(StoreError) {
    var statement = try connection.prepare(
      """
      SELECT \(table.key), \(owner ?? "NULL") FROM \(table.name)
      WHERE checksum IS NOT \(RowChecksum.name)(\(table.columns))
      """)
    while try statement.step() {
      try connection.checkCancellation()
      let row = "row \(statement.text(0) ?? "") of \(table.plainName)"
      guard let number = statement.optionalInteger(1) else {
        add(row, "it is not as it was written")
        continue
      }
      if isContent { changedSamples.insert(number) }
      add(name(ofObject: number), "\(row) is not as it was written")
    }
  }

  private static func quoted(_ table: Table) -> String { SampleTable.quoted(table.name) }

  /// A table whose rows have a checksum, with the columns that it is of and the text that tells a row.
  private struct SealedTable {
    var name: String
    var columns = ""
    var key = ""

    var plainName: String { name.filter { $0 != "\"" && $0 != "'" } }
  }

  /// Those tables as the file has them, so that those of kinds which this program does not know are looked at too. The list of
  /// changes has a chain of its own.
  private func sealedTables() throws(StoreError) -> [SealedTable] {
    var statement = try connection.prepare(
      """
      SELECT schema.name, part.name, part.pk FROM sqlite_schema AS schema JOIN pragma_table_info(schema.name) AS part
      WHERE schema.type = 'table' AND schema.name <> '\(Schema.changes.name)' AND part.cid <
        (SELECT cid FROM pragma_table_info(schema.name) WHERE name = '\(Table.checksum)')
      ORDER BY schema.name, part.cid
      """)
    var tables: [SealedTable] = []
    while try statement.step() {
      let name = SampleTable.quoted(statement.text(0) ?? "")
      let column = SampleTable.quoted(statement.text(1) ?? "")
      if tables.last?.name != name { tables.append(SealedTable(name: name)) }
      let last = tables.count - 1
      tables[last].columns += (tables[last].columns.isEmpty ? "" : ", ") + column
      if statement.integer(2) > 0 { tables[last].key += (tables[last].key.isEmpty ? "" : " || ', ' || ") + column }
    }
    for index in tables.indices where tables[index].key.isEmpty { tables[index].key = "rowid" }
    return tables
  }
}
