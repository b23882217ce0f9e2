import FoundationEssentials
import HealthModel

/// Verifies everything in a store; see ``HealthStore/check(progress:)``.
///
/// Each part is verified by itself: a part that SQLite cannot read is reported, and the others are verified all the
/// same.
struct StoreCheck {
  let connection: Connection
  var findings = StoreFindings()
  /// The samples for which a changed row has been reported.
  var changedSamples: Set<Int64> = []
  private var hasSharedPages = false

  init(connection: Connection) {
    self.connection = connection
  }

  mutating func run(
    attachments: () throws(StoreError) -> AttachmentFolder, _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StoreError) -> StoreFindings {
    try look(at: "not all pages") { (check) throws(StoreError) in try check.lookAtPages() }
    guard !hasSharedPages else {
      add("database", "what is in it was not looked at: with pages that stand in two places it has no end")
      return findings
    }
    try look(at: "the list of tables") { (check) throws(StoreError) in try check.lookAtDeclarations() }
    try look(at: "the list of changes") { (check) throws(StoreError) in try check.lookAtChanges() }
    try lookAtRows()
    for statement in Self.relations {
      try look(at: "what belongs together") { (check) throws(StoreError) in try check.find(statement) }
    }
    try look(at: "the markers of sessions") { (check) throws(StoreError) in
      for statement in try check.strayMarkers() { try check.find(statement) }
    }
    try look(at: "the content of samples") { (check) throws(StoreError) in
      for statement in try check.strayContents() { try check.find(statement) }
    }
    var numbers: [Int64] = []
    try look(at: "the list of samples") { (check) throws(StoreError) in
      var statement = try check.connection.prepare("SELECT id FROM samples ORDER BY id")
      while try statement.step() { numbers.append(statement.integer(0)) }
    }
    for (done, number) in numbers.enumerated() {
      try connection.checkCancellation()
      progress(done, numbers.count)
      try lookAtSample(number)
    }
    progress(numbers.count, numbers.count)
    try look(at: "the files of attachments") { (check) throws(StoreError) in
      try check.lookAtAttachments(attachments())
    }
    try look(at: "what is not known") { (check) throws(StoreError) in try check.nameUnexamined() }
    return findings
  }

  /// Verifies one part; a part that SQLite cannot read must not hide the others.
  mutating func look(
    at what: String, _ body: (inout StoreCheck) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try body(&self)
    } catch {
      guard error.isCorrupt else { throw error }
      add("database", "\(what) can be read no further")
    }
  }

  mutating func add(_ object: String, _ problem: String) {
    let damage = StoreDamage(object: object, problem: problem)
    if !findings.damages.contains(damage) { findings.damages.append(damage) }
  }

  /// Reports the rows of a statement, each an object and its problem, as damages.
  mutating func find(_ text: String) throws(StoreError) {
    var statement = try connection.prepare(text)
    while try statement.step() { add(statement.text(0) ?? "", statement.text(1) ?? "") }
  }

  /// Verifies the content of a sample. Of a kind that this program does not know, only the rows' checksums can be
  /// verified.
  private mutating func lookAtSample(_ number: Int64) throws(StoreError) {
    guard !changedSamples.contains(number) else { return }
    var problem: String?
    do throws(StoreError) {
      if let row = try connection.samples.row(number) {
        problem = try SampleContents.content(of: row.type.kind)?.problem(of: row, in: connection)
      }
    } catch {
      guard error.isCorrupt else { throw error }
      problem = "its rows cannot be read"
    }
    if let problem { add(name(ofObject: number), problem) }
  }

  /// The name by which a person finds an object: the identifier of a session or sample, or its row where its change is
  /// damaged.
  func name(ofObject number: Int64) -> String {
    let isSession = (try? connection.integer("SELECT count(*) FROM sessions WHERE id = \(number)")) ?? 0 > 0
    let kind = isSession ? "session" : "sample"
    guard let uuid = try? connection.samples.uuid(of: number) else { return "\(kind) row \(number)" }
    return "\(kind) \(uuid.uuidString.lowercased().filter { $0 != "-" })"
  }

  private mutating func lookAtPages() throws(StoreError) {
    var pages = try connection.prepare("PRAGMA integrity_check(20)")
    while try pages.step() {
      let finding = pages.text(0) ?? ""
      if finding != "ok" { add("database", finding) }
      // Rows would come next, and there may be 10¹⁰ of them.
      hasSharedPages = hasSharedPages || finding.contains("2nd reference to page")
      guard !hasSharedPages else { return }
    }
  }

  private mutating func lookAtChanges() throws(StoreError) {
    var statement = try connection.prepare(ChangeList.broken)
    while try statement.step() {
      let number = statement.integer(0)
      let isMissing = number > 1 && statement.isNull(1)
      add(
        "change \(isMissing ? number - 1 : number)",
        isMissing ? "it is missing" : "it is not as it was written, or does not follow the one before it")
    }
  }

  /// Lists the parts of the store that neither a checksum nor another row covers, so that damage to them is not
  /// detected.
  private mutating func nameUnexamined() throws(StoreError) {
    findings.unexamined = [
      "whether a row of metadata, a basis, a session's last gap or marker, an allowed sensor, a grant or a time of saving is gone as a whole",
      "whether a session's coverage, report and figures of variability are right: only that they are as they were written",
    ]
    if try connection.integer("PRAGMA user_version") != Schema.version {
      findings.unexamined.append("the declarations of tables and views, which are a newer program's")
    }
    findings.unexamined += try foreignNames().map { "\($0), which is not of this program and never used" }
    var kinds = try connection.prepare(
      """
      SELECT type.kind, count(*) FROM samples AS sample JOIN types AS type ON type.id = sample.type
      GROUP BY type.kind ORDER BY type.kind
      """)
    while try kinds.step() {
      let kind = kinds.text(0) ?? ""
      guard SampleContents.content(of: SampleKind(rawValue: kind)) == nil else { continue }
      let count = kinds.integer(1)
      findings.unexamined.append(
        "what \(count) sample\(count == 1 ? "" : "s") of the unknown kind \(kind) hold\(count == 1 ? "s" : ""), but that their rows are as they were written"
      )
    }
  }
}

extension StoreCheck {
  /// Reports the tables, indexes and views that are not declared as every program of this layout declares them: a
  /// flipped bit there gives a column another name, or a view another meaning, and no checksum of a row shows it.
  mutating func lookAtDeclarations() throws(StoreError) {
    // This program does not know the declarations of a newer one.
    guard try connection.integer("PRAGMA user_version") == Schema.version else { return }
    var present: [String: String] = [:]
    var statement = try connection.prepare("SELECT name, sql FROM sqlite_schema")
    while try statement.step() {
      if let name = statement.text(0), let text = statement.text(1) { present[name] = text }
    }
    for (name, table, text) in Self.needed where present[name] != text {
      // A later table is made, with its indexes, when a program opens the store to write.
      if Schema.laterTables.contains(table), present[table] == nil, present[name] == nil { continue }
      add("database", "\(name) is not declared as it was")
    }
    for view in Schema.views where present[view.name] != view.statement {
      add("database", "view \(view.name) is not this program's; a program that opens the store to write makes it anew")
    }
    try lookForContents()
  }

  /// The tables and views that no part of this program reads, each with its kind.
  func foreignNames() throws(StoreError) -> [String] {
    var known = Set(Self.needed.map(\.name) + Schema.views.map(\.name))
    var contents = try connection.prepare("SELECT name FROM content_tables")
    while try contents.step() { known.insert(contents.text(0) ?? "") }
    return try connection.declarations().filter { declaration in
      declaration.kind != "index" && !known.contains(declaration.name) && !declaration.name.hasPrefix("sqlite_")
    }.map { "\($0.kind) \"\($0.name)\"" }
  }

  /// The tables and indexes of a file of this layout, each with its table and the text that declares it.
  private static let needed: [(name: String, table: String, text: String)] =
    Schema.allTables.map { ($0.name, $0.name, $0.creation) } + Schema.allIndexes

  /// Reports missing rows of the list of content tables: without such a row a deletion would leave the content of
  /// samples.
  private mutating func lookForContents() throws(StoreError) {
    var present: Set<String> = []
    var statement = try connection.prepare("SELECT name FROM content_tables")
    while try statement.step() { present.insert(statement.text(0) ?? "") }
    for content in Schema.contents where !present.contains(content.table.name) {
      // A later table that is not there yet has no content to delete.
      if Schema.laterTables.contains(content.table.name), try !connection.has(content.table) { continue }
      add("database", "\(content.table.name) is missing among the tables of contents")
    }
  }
}

/// The findings of a check of everything in a store.
package struct StoreFindings: Hashable, Sendable {
  /// The damages; empty for a sound store.
  package var damages: [StoreDamage] = []
  /// The parts in which damage is not detected, a line for a person each.
  package var unexamined: [String] = []

  /// Findings without a damage.
  package init() {}
}

/// A damaged object of a store: its stored form cannot be what was written.
public struct StoreDamage: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The object, `sample 1b4e28ba…` for instance, or `database`.
  public var object: String
  /// The problem of the object, in words; never a measured value.
  public var problem: String

  /// A damage with the given parts.
  public init(object: String, problem: String) {
    self.object = object
    self.problem = problem
  }

  /// The object and its problem, in one line for a person.
  public var description: String { "\(object): \(problem)" }
}
