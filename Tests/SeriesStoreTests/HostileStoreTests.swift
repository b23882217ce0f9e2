import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

/// Stores that somebody made to do harm to who opens them.
@Suite("A hostile store", .timeLimit(.minutes(2)))
struct HostileStoreTests {
  private let folder = TemporaryFolder()

  private func makeStore() async throws -> RecordedSession {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(session)
    await store.close()
    return session
  }

  private func change(_ statements: String) throws {
    try Connection.undefended(folder.store).execute("PRAGMA writable_schema = ON; \(statements)")
  }

  private func code(_ access: HealthStore.Access) -> StoreError.Code? {
    do throws(StoreError) {
      _ = try HealthStore.open(folder.store, for: access)
      return nil
    } catch { return error.code }
  }

  /// All rows of a table, in text.
  private func rows(_ table: String) throws -> [String] {
    var statement = try Connection.undefended(folder.store).prepare("SELECT * FROM \(table)")
    var rows: [String] = []
    while try statement.step() { rows.append("\((0..<6).map { statement.value($0) })") }
    return rows
  }

  private static let endless = """
    WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
      SELECT n AS id, n AS sync_version, n AS source, n AS device, n AS start, n AS end, 'x' AS end_reason,
      NULL AS coverage_floor, NULL AS coverage_ceiling, NULL AS quality, n AS checksum FROM more
    """

  @Test(
    "with code in its declarations is not opened by anybody, and nothing of it runs",
    arguments: [
      "DROP TABLE sessions; CREATE VIEW sessions AS \(endless)",
      "CREATE TRIGGER added AFTER INSERT ON changes BEGIN INSERT INTO sensors VALUES ('AA', 'mine', 0, 0); END",
      """
      CREATE TRIGGER noted AFTER INSERT ON sensors BEGIN
        INSERT INTO sensors VALUES ('AA', 'mine', 0, row_checksum('AA', 'mine', 0)); END
      """,
      "CREATE INDEX large ON samples (length(zeroblob(40000000 + id)))",
      "ALTER TABLE samples ADD COLUMN large AS (zeroblob(400000000))",
      "UPDATE sqlite_schema SET sql = replace(sql, 'sync_version INTEGER', 'sync_version INTEGER CHECK (length(hex(id)))') "
        + "WHERE name = 'samples'",
      "CREATE TABLE other (a DEFAULT (hex(randomblob(9))))",
      "INSERT INTO sqlite_schema VALUES ('table', 'found', 'found', 0, 'CREATE VIRTUAL TABLE found USING fts5(x)')",
    ])
  func code(statements: String) async throws {
    _ = try await makeStore()
    try change(statements)
    let sensors = try rows("sensors")
    for access in [.reading, .writing, .recording] as [HealthStore.Access] {
      #expect(code(access) == .foreignDeclaration, "\(statements)")
    }
    #expect(throws: StoreError.self) { try ReadOnlySQL(folder.store) }
    #expect(try rows("sensors") == sensors)
  }

  @Test("that gets a trigger while it is open does not run it either")
  func later() async throws {
    _ = try await makeStore()
    let store = try HealthStore.open(folder.store, for: .writing)
    try change(
      """
      CREATE TRIGGER noted AFTER INSERT ON sensors BEGIN
        INSERT INTO sensors VALUES ('AA', 'mine', 0, row_checksum('AA', 'mine', 0)); END
      """)
    let own = AllowedSensor(address: "C0:FF:EE:00:00:01", name: "Strap", added: Timestamp(microseconds: 0))
    _ = try await store.allow(own)
    #expect(try await store.allowedSensors() == [own])
  }

  @Test("whose declarations are longer than a mebibyte is an error, not a wait")
  func longDeclaration() async throws {
    _ = try await makeStore()
    try change(
      "CREATE TABLE long (\((0..<1900).map { "a\($0) TEXT DEFAULT '\(String(repeating: "x", count: 600))'" }.joined(separator: ", ")))"
    )
    #expect(code(.reading) == .corrupt(object: "database"))
  }

  @Test("with views that nest without end is read as if they were not there")
  func nested() async throws {
    let session = try await makeStore()
    let views = (1..<40).map {
      "CREATE VIEW nested\($0) AS SELECT a.x FROM nested\($0 - 1) AS a, nested\($0 - 1) AS b;"
    }
    try change("CREATE VIEW nested0 AS SELECT 1 AS x; \(views.joined())")
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.sessions().map(\.id) == [session.id])
    #expect(try await store.check() == [])
    #expect(throws: StoreError.self) { _ = try ReadOnlySQL(folder.store).rows(of: "SELECT * FROM nested39") }
  }

  @Test("with what a person, SQLite and later versions add is read and written as before")
  func others() async throws {
    let session = try await makeStore()
    try Connection.undefended(folder.store).execute(
      """
      CREATE TABLE "my notes" (id INTEGER PRIMARY KEY, session BLOB REFERENCES changes (uuid), text DEFAULT 'as (check)');
      CREATE INDEX my_samples ON samples (start DESC, value) WHERE value IS NOT NULL;
      CREATE VIEW mine AS SELECT * FROM session_list;
      CREATE TABLE later_rows (sample INTEGER PRIMARY KEY, checksum INTEGER NOT NULL);
      INSERT INTO content_tables VALUES ('later_rows', 'sample', 0, row_checksum('later_rows', 'sample', 0));
      ANALYZE;
      """)
    let store = try HealthStore.open(folder.store, for: .recording)
    var other = try makeSession(seed: 2)
    other.id = UUID()
    #expect(try await store.commit(other) == .stored)
    #expect(Set(try await store.sessions().map(\.id)) == [session.id, other.id])
    let findings = try await store.examine { _, _ in }
    #expect(findings.damages == [])
    for name in ["my notes", "mine"] {
      #expect(findings.unexamined.contains { $0.contains("\"\(name)\"") }, "\(findings.unexamined)")
    }
  }

  /// Questions that read a table from end to end.
  private static let questions: [@Sendable (HealthStore) async throws -> Void] = [
    { _ = try await $0.sessions() },
    { _ = try await SampleQuery().result(for: $0) },
    { _ = try await ChangeQuery(after: .start).result(for: $0) },
    { _ = try await $0.history(after: .start, limit: .max, bytes: .max) },
    { _ = try await StatisticsCollectionQuery(.heartRate, buckets: .single).result(for: $0) },
  ]

  @Test(
    "of few pages in which a table has thousands of millions of rows ends every answer, and a check names it",
    arguments: ["samples", "changes", "runs", "gaps", "summaries", "chunks", "content_tables"])
  func sharedPages(table: String) async throws {
    _ = try await makeStore()
    let connection = try Connection.undefended(folder.store)
    let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    let isByRow = try connection.integer("SELECT count(*) FROM pragma_table_list('\(table)') WHERE wr = 0") == 1
    try connection.execute("PRAGMA journal_mode = DELETE")
    try folder.write("store.sqlite", SharedPages.multiply(root: Int(root), in: folder.bytes(of: "store.sqlite")))
    for limit in [.each, .inAll] as [WorkLimit] {
      let store = try HealthStore.open(folder.store, for: .reading, limit: limit)
      var codes: [StoreError.Code] = []
      for question in Self.questions {
        do { try await question(store) } catch { codes.append((error as? StoreError)?.code ?? .closed) }
      }
      // Whatever a tree of another form makes of these pages.
      #expect(!isByRow || !["samples", "changes"].contains(table) || codes.contains(.tooMuchWork), "\(codes)")
      #expect(try await store.check().contains { $0.object == "database" })
    }
  }
}
