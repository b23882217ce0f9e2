import SeriesStore
import TestSupport

/// What somebody would do to a store on purpose, so that it does harm to who opens it.
extension Damage {
  /// A trigger, a view in a table's place, something that is computed for rows, or a declaration that is not what it is
  /// listed as; or one that a person may add, which changes nothing.
  mutating func declare(in database: Database) throws {
    var names: [String] = []
    for row in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      if case .text(let name) = row[0] { names.append(name) }
    }
    let table = names.randomElement(using: &random) ?? "samples"
    let (statement, isHarmless) = statement(about: table)
    description = "schema: \(statement.prefix(200))"
    self.isHarmless = isHarmless
    try database.execute("PRAGMA writable_schema = ON")
    try database.execute(statement)
    // SQLite itself reads some of them no more, which is all the better.
    try? database.execute("PRAGMA writable_schema = RESET")
  }

  private mutating func statement(about table: String) -> (text: String, isHarmless: Bool) {
    let large =
      ["zeroblob(400000000)", "hex(randomblob(100000000))", "(SELECT count(*) FROM samples, samples, samples)"]
      .randomElement(using: &random) ?? ""
    let call =
      ["zeroblob(40000000)", "length(hex(randomblob(9)))", "row_checksum(1)"].randomElement(using: &random) ?? ""
    let endless = "WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT * FROM more"
    let event = ["INSERT", "UPDATE", "DELETE"].randomElement(using: &random) ?? ""
    let planted =
      "INSERT INTO sensors VALUES ('AA:AA:AA:AA:AA:AA', 'mine', 0, row_checksum('AA:AA:AA:AA:AA:AA', 'mine', 0))"
    return switch Int.random(in: 0..<14, using: &random) {
    case 0: ("ALTER TABLE \(table) RENAME TO moved; CREATE VIEW \(table) AS \(endless)", false)
    case 1: ("ALTER TABLE \(table) RENAME TO moved; CREATE VIEW \(table) AS SELECT * FROM moved", false)
    case 2: ("CREATE TRIGGER noted AFTER \(event) ON \(table) BEGIN \(planted); END", false)
    case 3: ("CREATE TRIGGER noted BEFORE \(event) ON \(table) BEGIN DELETE FROM samples; \(planted); END", false)
    case 4: ("ALTER TABLE \(table) ADD COLUMN more AS (\(large))", false)
    case 5:
      (
        "UPDATE sqlite_schema SET sql = replace(sql, 'checksum INTEGER', 'checksum INTEGER CHECK (\(call) <> 0)') "
          + "WHERE name = '\(table)'", false
      )
    case 6:
      (
        "UPDATE sqlite_schema SET sql = replace(sql, 'checksum INTEGER NOT NULL', "
          + "'checksum INTEGER NOT NULL DEFAULT (\(call))') WHERE name = '\(table)'", false
      )
    case 7:
      (
        "INSERT INTO sqlite_schema VALUES ('table', 'found', 'found', 0, "
          + "'CREATE VIRTUAL TABLE found USING \(["fts5(x)", "rtree(a, b, c)", "dbstat"].randomElement(using: &random) ?? "")')",
        false
      )
    case 8: ("UPDATE sqlite_schema SET type = 'view' WHERE name = '\(table)'", false)
    case 9:
      (
        "UPDATE sqlite_schema SET sql = sql || '\(String(repeating: " ", count: 1 << 21))' WHERE name = '\(table)'",
        false
      )
    case 10: ("CREATE INDEX other ON \(table) (checksum) WHERE checksum > 0 AND checksum < 0", false)
    case 11:
      (
        "CREATE VIEW nested0 AS SELECT 1 AS x;"
          + (1..<30).map { "CREATE VIEW nested\($0) AS SELECT a.x FROM nested\($0 - 1) AS a, nested\($0 - 1) AS b;" }
          .joined(),
        true
      )
    case 12:
      ("CREATE INDEX mine ON \(table) (checksum DESC); CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)", true)
    default: ("DROP VIEW IF EXISTS session_list; CREATE VIEW session_list AS \(endless); ANALYZE", true)
    }
  }

  /// Pages in many places: few bytes with more rows than can be read, or with a circle.
  mutating func growTree(of bytes: [UInt8], roots: [Int]) -> [UInt8] {
    let root = roots.randomElement(using: &random) ?? 1
    let (levels, isCircle) = (Int.random(in: 1...4, using: &random), Int.random(in: 0..<4, using: &random) == 0)
    let references = [2, 20, 300, 2_000].randomElement(using: &random) ?? 2
    description = "tree: page \(root) under \(levels) × \(references) references\(isCircle ? " in a circle" : "")"
    return SharedPages.multiply(root: root, in: bytes, levels: levels, references: references, isCircle: isCircle)
  }
}
