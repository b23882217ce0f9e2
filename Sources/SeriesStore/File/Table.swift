/// A table of the file: its columns, and behind them the checksum of every row.
struct Table: Sendable {
  let name: String
  /// The columns but the last one, in order.
  let columns: [String]
  /// Makes the table in an empty file, its indexes not among it.
  let creation: String
  /// Takes the columns' values as ?1, ?2 …
  let insertion: String

  /// A table of columns as SQL declares them; with `key` it is stored in that key's order, without row numbers.
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
  /// Inserts a row: a value for each column but the checksum.
  func insert(_ values: [SQLValue], into table: Table) throws(StoreError) {
    var statement = try prepare(table.insertion)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    try statement.run()
  }

  /// The number that the next row of a table gets, whose key is `id`.
  func nextRow(of table: Table) throws(StoreError) -> Int64 {
    try integer("SELECT ifnull(max(id), 0) + 1 FROM \(table.name)")
  }
}
