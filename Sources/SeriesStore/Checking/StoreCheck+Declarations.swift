extension StoreCheck {
  /// Names the tables, indexes and views that are not declared as every program of this layout declares them: a flipped bit there
  /// gives a column another name, or a view another meaning, and no row tells of it.
  mutating func lookAtDeclarations() throws(StoreError) {
    // What a newer program declares, nobody here knows.
    guard try connection.integer("PRAGMA user_version") == Schema.version else { return }
    var present: [String: String] = [:]
    var statement = try connection.prepare("SELECT name, sql FROM sqlite_schema")
    while try statement.step() {
      if let name = statement.text(0), let text = statement.text(1) { present[name] = text }
    }
    for (name, table, text) in Self.needed where present[name] != text {
      // A program that opens the store to write makes it, with its indexes.
      if Schema.laterTables.contains(table), present[table] == nil, present[name] == nil { continue }
      add("database", "\(name) is not declared as it was")
    }
    for view in Schema.views where present[view.name] != view.statement {
      add("database", "view \(view.name) is not this program's; a program that opens the store to write makes it anew")
    }
    // These are there in files of layout 1 only.
    for view in LayoutOne.views {
      guard let text = present[view.name], text != "CREATE VIEW \(view.name) AS \(view.query)" else { continue }
      add("database", "view \(view.name) is not declared as it was")
    }
    try lookForContents()
  }

  /// Tables and views that nothing of a sensord reads, each with its kind.
  func foreignNames() throws(StoreError) -> [String] {
    var known = Set(Self.needed.map(\.name) + Schema.views.map(\.name) + LayoutOne.views.map(\.name))
    var contents = try connection.prepare("SELECT name FROM content_tables")
    while try contents.step() { known.insert(contents.text(0) ?? "") }
    return try connection.declarations().filter { declaration in
      declaration.kind != "index" && !known.contains(declaration.name) && !declaration.name.hasPrefix("sqlite_")
    }.map { "\($0.kind) \"\($0.name)\"" }
  }

  /// The tables and indexes of a file of this layout, with the table that each is of and the texts that declare them.
  private static let needed: [(name: String, table: String, text: String)] =
    Schema.allTables.map { ($0.name, $0.name, $0.creation) } + Schema.allIndexes

  /// The rows without which a deletion would leave what samples hold.
  private mutating func lookForContents() throws(StoreError) {
    var present: Set<String> = []
    var statement = try connection.prepare("SELECT name FROM content_tables")
    while try statement.step() { present.insert(statement.text(0) ?? "") }
    for content in Schema.contents where !present.contains(content.table.name) {
      // Of a table that is not there yet nothing has to be deleted.
      if Schema.laterTables.contains(content.table.name), try !connection.has(content.table) { continue }
      add("database", "\(content.table.name) is missing among the tables of contents")
    }
  }
}
