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
    for (name, text) in Self.needed where present[name] != text {
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

  /// The tables and indexes of a file of this layout, with the texts that declare them.
  private static let needed: [(name: String, text: String)] = {
    let tables = Schema.tables + SampleContents.all.flatMap { $0.tables.map(\.table) }
    let indexes = Schema.indexes.split(separator: ";").map { text in
      String(text.drop { $0.isWhitespace })
    }
    return tables.map { ($0.name, $0.creation) }
      + indexes.filter { !$0.isEmpty }.map { text in
        let words = text.split(separator: " ")
        return (String(words[words.firstIndex(of: "INDEX").map { $0 + 1 } ?? 0]), text)
      }
  }()

  /// The rows without which a deletion would leave what samples hold.
  private mutating func lookForContents() throws(StoreError) {
    var present: Set<String> = []
    var statement = try connection.prepare("SELECT name FROM content_tables")
    while try statement.step() { present.insert(statement.text(0) ?? "") }
    for content in SampleContents.all.flatMap({ $0.tables }) where !present.contains(content.table.name) {
      add("database", "\(content.table.name) is missing among the tables of contents")
    }
  }
}
