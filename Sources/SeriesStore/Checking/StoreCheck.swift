import FoundationEssentials
import HealthModel

/// Looks at everything in a store; see ``HealthStore/check(progress:)``.
struct StoreCheck {
  let connection: Connection

  func run(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StoreError) -> [StoreDamage] {
    let changed = try changedRows()
    var damages = try pageDamages() + brokenChanges() + changed.damages
    for statement in try strays() + [Self.outsiders] { damages += try self.damages(foundBy: statement) }
    var numbers: [Int64] = []
    do {
      var statement = try connection.prepare("SELECT id FROM samples ORDER BY id")
      while try statement.step() { numbers.append(statement.integer(0)) }
    }
    for (done, number) in numbers.enumerated() {
      try connection.checkCancellation()
      progress(done, numbers.count)
      // Of what has been changed in its rows that is said already.
      guard !changed.samples.contains(number) else { continue }
      let problem: String?
      do throws(StoreError) {
        problem = try self.problem(ofSample: number)
      } catch {
        // What SQLite itself cannot read of one sample must not hide the others.
        guard error.isCorrupt else { throw error }
        problem = "its rows cannot be read"
      }
      if let problem { damages.append(StoreDamage(object: try name(ofSample: number), problem: problem)) }
    }
    progress(numbers.count, numbers.count)
    return damages
  }

  /// Of a kind that this program does not know nothing can be said but that its rows are as they were written.
  private func problem(ofSample number: Int64) throws(StoreError) -> String? {
    guard let row = try connection.samples.row(number) else { return nil }
    return try SampleContents.content(of: row.type.kind)?.problem(of: row, in: connection)
  }

  private func name(ofSample number: Int64) throws(StoreError) -> String {
    guard let uuid = try connection.samples.uuid(of: number) else { return "sample row \(number)" }
    return "sample \(uuid.uuidString.lowercased().filter { $0 != "-" })"
  }

  private func pageDamages() throws(StoreError) -> [StoreDamage] {
    var damages: [StoreDamage] = []
    var pages = try connection.prepare("PRAGMA integrity_check(20)")
    while try pages.step() {
      let finding = pages.text(0) ?? ""
      if finding != "ok" { damages.append(StoreDamage(object: "database", problem: finding)) }
    }
    return damages
  }

  private func brokenChanges() throws(StoreError) -> [StoreDamage] {
    var damages: [StoreDamage] = []
    var statement = try connection.prepare(ChangeList.broken)
    while try statement.step() {
      let number = statement.integer(0)
      let isMissing = number > 1 && statement.isNull(1)
      damages.append(
        StoreDamage(
          object: "change \(isMissing ? number - 1 : number)",
          problem: isMissing ? "it is missing" : "it is not as it was written, or does not follow the one before it"))
    }
    return damages
  }

  /// Rows whose checksum is not that of their values, and the samples that they belong to.
  private func changedRows() throws(StoreError) -> (damages: [StoreDamage], samples: Set<Int64>) {
    let owners = Dictionary(
      try connection.samples.contentTables().map { ($0.name, "\($0.column) >> \($0.shift)") }
        + [(SampleTable.quoted(Schema.samples.name), "id")], uniquingKeysWith: { first, _ in first })
    var damages: [StoreDamage] = []
    var samples: Set<Int64> = []
    for table in try sealedTables() {
      let owner = owners[table.name]
      var statement = try connection.prepare(
        """
        SELECT \(table.key), \(owner ?? "NULL") FROM \(table.name)
        WHERE checksum IS NOT \(RowChecksum.name)(\(table.columns))
        """)
      while try statement.step() {
        let row = "row \(statement.text(0) ?? "") of \(table.name.filter { $0 != "\"" })"
        guard let sample = statement.optionalInteger(1) else {
          damages.append(StoreDamage(object: row, problem: "it is not as it was written"))
          continue
        }
        samples.insert(sample)
        damages.append(
          StoreDamage(object: try name(ofSample: sample), problem: "\(row) is not as it was written"))
      }
    }
    return (damages, samples)
  }

  /// The tables whose rows have a checksum, with the columns that it is of: as the file has them, so that those of kinds which
  /// this program does not know are looked at too. The list of changes has a chain of its own.
  private func sealedTables() throws(StoreError) -> [(name: String, columns: String, key: String)] {
    var statement = try connection.prepare(
      """
      SELECT schema.name, part.name, part.pk FROM sqlite_schema AS schema JOIN pragma_table_info(schema.name) AS part
      WHERE schema.type = 'table' AND schema.name <> '\(Schema.changes.name)' AND part.cid <
        (SELECT cid FROM pragma_table_info(schema.name) WHERE name = '\(Table.checksum)')
      ORDER BY schema.name, part.cid
      """)
    var tables: [(name: String, columns: String, key: String)] = []
    while try statement.step() {
      let name = SampleTable.quoted(statement.text(0) ?? "")
      let column = SampleTable.quoted(statement.text(1) ?? "")
      if tables.last?.name != name { tables.append((name, "", "")) }
      let last = tables.count - 1
      tables[last].columns += (tables[last].columns.isEmpty ? "" : ", ") + column
      if statement.integer(2) > 0 { tables[last].key += (tables[last].key.isEmpty ? "" : " || ', ' || ") + column }
    }
    return tables
  }

  /// Each row of such a statement is an object and what is wrong with it.
  private func damages(foundBy text: String) throws(StoreError) -> [StoreDamage] {
    var statement = try connection.prepare(text)
    var damages: [StoreDamage] = []
    while try statement.step() {
      damages.append(StoreDamage(object: statement.text(0) ?? "", problem: statement.text(1) ?? ""))
    }
    return damages
  }
}
