import FoundationEssentials
import HealthModel

/// Looks at everything in a store; see ``HealthStore/check(progress:)``.
///
/// Each part stands for itself: what SQLite cannot read of one is named, and the others are looked at all the same.
struct StoreCheck {
  let connection: Connection
  var findings = StoreFindings()
  /// Samples of which is said already that a row of theirs was changed.
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

  /// Runs one part; what SQLite cannot read of it must not hide the others.
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

  /// Each row of such a statement is an object and what is wrong with it.
  mutating func find(_ text: String) throws(StoreError) {
    var statement = try connection.prepare(text)
    while try statement.step() { add(statement.text(0) ?? "", statement.text(1) ?? "") }
  }

  /// Of a kind that this program does not know nothing can be said but that its rows are as they were written.
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

  /// What a person finds it by: a session or sample, or the number where its change is damaged.
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

  /// What no checksum covers and nothing else tells, so that damage to it would not be found.
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
