import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import Testing

@testable import SeriesStore

/// A file of each layout that was ever released, made from synthetic data, kept as it was written then.
@Suite("Kept files of every layout")
struct FormatFixtureTests {
  let folder = TemporaryFolder()

  private static let fixtures = "\(#filePath.dropLast("FormatFixtureTests.swift".count))Fixtures"
  private static let session = UUID(uuidString: "1b4e28ba-2fa1-41d2-883f-0016d3cca427") ?? UUID()

  /// What the file of layout 1 was made from.
  private func fill(_ store: HealthStore) async throws {
    _ = try await store.commit(try makeSession(id: Self.session, seed: 7, beats: 300, endsEarly: true))
    var steps = QuantitySeriesBuilder(type: .stepCount, start: Timestamp(microseconds: 0))
    for second in 0..<120 as Range<Int64> {
      let start = Timestamp(microseconds: second * 40_000_000)
      try steps.insert(Double(second % 7), from: start, to: start.advanced(byMicroseconds: 30_000_000))
    }
    var mass = QuantitySeriesBuilder(type: .bodyMass, start: Timestamp(microseconds: 5))
    try mass.insert(71.25, from: Timestamp(microseconds: 5), to: Timestamp(microseconds: 5))
    let ids = ["6ba7b810-9dad-41d1-80b4-00c04fd430c8", "6ba7b811-9dad-41d1-80b4-00c04fd430c8"].compactMap(UUID.init)
    try await store.save(
      [try steps.finish(id: ids[0]), try mass.finish(id: ids[1], metadata: ["scale": "kitchen"])],
      as: SourceRevision(identifier: "test", name: "Test", version: "1"))
  }

  /// Everything in a store but the times of saving, as text; blobs in hexadecimal, so byte for byte.
  private func dump(_ path: String, withViews: Bool = true) throws -> String {
    let sql = try ReadOnlySQL(path)
    var text = ""
    for table in [
      "source", "device", "session", "gap", "type", "sample", "run", "chunk", "summary", "metadata", "rates", "beats",
      "quantities",
    ] + (withViews ? Schema.views.map(\.name) : []) {
      var rows = try sql.rows(of: "SELECT * FROM \(table) ORDER BY 1, 2")
      text += "\(table): \(rows.columns.joined(separator: " "))\n"
      while let row = try rows.next() {
        text +=
          "  \(row.map { if case .blob(let bytes) = $0 { bytes.map { "\($0)" }.joined(separator: ".") } else { "\($0)" } })\n"
      }
    }
    return text
  }

  @Test("the file of layout 1 reads as it was written, value for value, and a new one from the same data is the same")
  func layout1() async throws {
    let fixture = "\(Self.fixtures)/layout-1.sqlite"
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      try await fill(store)
      await store.close()
    }
    if unsafe getenv("RECORD_GOLDENS") != nil, unsafe access(fixture, F_OK) != 0 {
      let connection = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
      try connection.execute("UPDATE change SET time = 0; VACUUM INTO '\(fixture)'")
      Issue.record("recorded \(fixture)")
      return
    }
    let bytes = try #require(contents(of: fixture))
    folder.write(bytes, to: "old.sqlite")
    let old = "\(folder.path)/old.sqlite"
    #expect(try dump(old, withViews: false) == dump(folder.store, withViews: false))
    // Its views rounded times to milliseconds. They are no part of the layout: whoever writes makes them anew.
    #expect(try dump(old) != dump(folder.store))
    let reader = try HealthStore.open(old, for: .writing)
    #expect(try dump(old) == dump(folder.store))
    // The session was made up before a check looked for values outside of it.
    #expect(try await reader.check().map(\.problem) == ["its beats lie outside of it"])
    let session = try makeSession(id: Self.session, seed: 7, beats: 300, endsEarly: true)
    #expect(try await reader.rates(of: Self.session) == session.rates)
    #expect(try await reader.beats(of: Self.session) == session.heartbeats)
    #expect(try await reader.gaps(of: Self.session) == session.gaps)
    let steps = try await StatisticsCollectionQuery(.stepCount, buckets: .single).result(for: reader).value
    #expect(steps.map(\.sum) == [Double((0..<120).map { $0 % 7 }.reduce(0, +))])
    #expect(try await reader.commit(session) == .unchanged)
  }

  private func contents(of path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  @Test("an older file is brought to the newest layout in one transaction, by the steps that it lacks")
  func migration() async throws {
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      try await fill(store)
      await store.close()
    }
    let before = try dump(folder.store)
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    let steps = ["CREATE TABLE added (a); INSERT INTO added VALUES (2)", "UPDATE added SET a = a + 1"]
    try file.migrate(by: steps)
    #expect(try file.connection.integer("PRAGMA user_version") == 3)
    #expect(try file.connection.integer("SELECT a FROM added") == 3)
    try file.migrate(by: steps)
    #expect(try file.connection.integer("SELECT a FROM added") == 3, "a step is taken once")
    #expect(throws: StoreError.self) { try file.migrate(by: steps + ["UPDATE added SET a = 9; SELECT nonsense"]) }
    #expect(try file.connection.integer("SELECT a FROM added") == 3, "a step that fails leaves nothing")
    #expect(try file.connection.integer("PRAGMA user_version") == 3)
    #expect(throws: StoreError.self) { try StoreFile(folder.store, for: .writing, mode: 0o600) }
    try file.connection.execute("PRAGMA user_version = 1; DROP TABLE added")
    #expect(try dump(folder.store) == before)
  }
}
