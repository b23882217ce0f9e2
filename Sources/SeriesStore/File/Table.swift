/// A table of the file: its columns, followed by the checksum of each row.
struct Table: Sendable {
  let name: String
  /// The columns except the checksum, in order.
  let columns: [String]
  /// The statement that creates the table, without its indexes.
  let creation: String
  /// The statement that inserts a row; ?1, ?2 … are the values of the columns.
  let insertion: String

  /// A table with columns as SQL declares them. With `key` it is stored in that key's order, without row numbers.
  init(_ name: String, _ declarations: [String], key: String? = nil) {
    self.name = name
    columns = declarations.map { String($0.prefix { $0 != " " }) }
    let lines = declarations + ["\(Self.checksum) INTEGER NOT NULL"] + (key.map { ["PRIMARY KEY (\($0))"] } ?? [])
    creation = "CREATE TABLE \(name) (\(lines.joined(separator: ", ")))\(key == nil ? "" : " WITHOUT ROWID")"
    let places = declarations.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    insertion = """
      INSERT INTO \(name) (\(columns.joined(separator: ", ")), \(Self.checksum))
      VALUES (\(places), \(RowChecksum.name)(\(places)))
      """
  }

  /// The last column of every table: ``RowChecksum`` of those before it.
  static let checksum = "checksum"
}

extension Connection {
  /// Inserts a row with a value for each column except the checksum.
  func insert(_ values: [SQLValue], into table: Table) throws(StoreError) {
    var statement = try prepare(table.insertion)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    try statement.run()
  }

  /// Whether the file has this table: one of an earlier program of the same layout may not.
  func has(_ table: Table) throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table.name)'") > 0
  }

  /// The number of the next row of a table whose key is `id`.
  func nextRow(of table: Table) throws(StoreError) -> Int64 {
    try integer("SELECT ifnull(max(id), 0) + 1 FROM \(table.name)")
  }
}
