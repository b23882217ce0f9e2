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

  /// The tables and indexes of a file of this layout, with the table that each is of and the texts that declare them.
  private static let needed: [(name: String, table: String, text: String)] = {
    let indexes = Schema.indexes.split(separator: ";").map { text in
      String(text.drop { $0.isWhitespace })
    }
    let all = indexes.filter { !$0.isEmpty } + Schema.contents.flatMap(\.indexes)
    return Schema.allTables.map { ($0.name, $0.name, $0.creation) }
      + all.map { text in
        let words = text.split(separator: " ")
        let word = { (mark: Substring) in String(words[words.firstIndex(of: mark).map { $0 + 1 } ?? 0]) }
        return (word("INDEX"), word("ON"), text)
      }
  }()

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
