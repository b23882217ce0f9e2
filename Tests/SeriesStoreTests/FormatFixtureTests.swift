import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

/// A file of each released layout, made from synthetic data, kept as it was written then.
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

  /// The content of a store as text: values in hexadecimal, so byte for byte. Row numbers, the store's own UUID and times
  /// of saving are left out.
  private func dump(_ path: String) throws -> String {
    let sql = try ReadOnlySQL(path)
    var text = ""
    let tables =
      ["sources", "devices", "sensors", "rates", "beats", "quantities"]
      + Schema.views.map(\.name).filter { $0 != "change_list" }
    for table in tables {
      let columns = table == "sources" || table == "devices" ? "checksum" : "*"
      var rows = try sql.rows(of: "SELECT \(columns) FROM \(table)")
      text += "\(table): \(rows.columns.joined(separator: " "))\n"
      var lines: [String] = []
      while let row = try rows.next() { lines.append("  \(row)\n") }
      text += lines.sorted().joined()
    }
    // Quantities, which stand above, may be packed in more ways than then.
    var payloads = try sql.rows(of: "SELECT hex(payload) FROM chunks WHERE substr(payload, 5, 1) = x'21' ORDER BY 1")
    while let row = try payloads.next() { text += "  \(row)\n" }
    return text
  }

  /// A file as the forerunner of the present program wrote it.
  private func old() throws -> String {
    let bytes = try #require(contents(of: "\(Self.fixtures)/layout-1.sqlite"))
    try folder.write("old.sqlite", bytes)
    return "\(folder.path)/old.sqlite"
  }

  @Test("a migrated file has room for what the owner decides about clients")
  func grants() async throws {
    let store = try HealthStore.open(try old(), for: .writing)
    let grant = Grant(
      client: ClientIdentity(uid: 1000), type: "heartRate", permission: .read, decision: .allowed,
      decided: Timestamp(microseconds: 1))
    try await store.decide([grant])
    #expect(try await store.grants() == [grant])
  }

  @Test("the file of layout 1 reads as it was written, value for value, as a new one from the same data")
  func layout1() async throws {
    let old = try old()
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      try await fill(store)
      await store.close()
    }
    // A reader has it in memory, and leaves the file as it is.
    #expect(try dump(old) == dump(folder.store))
    #expect(folder.bytes(of: "old.sqlite") == contents(of: "\(Self.fixtures)/layout-1.sqlite"))
    let store = try HealthStore.open(old, for: .writing)
    #expect(try dump(old) == dump(folder.store))
    // The session was made up before a check looked for values outside of it.
    #expect(try await store.check().map(\.problem) == ["its beats lie outside of it"])
    let session = try makeSession(id: Self.session, seed: 7, beats: 300, endsEarly: true)
    #expect(try await store.rates(of: Self.session) == session.rates)
    #expect(try await store.beats(of: Self.session) == session.heartbeats)
    #expect(try await store.gaps(of: Self.session) == session.gaps)
    let summary = try #require(try await store.sessions().first)
    #expect(summary.variability == session.variability && summary.quality == session.quality)
    #expect(summary.metadata == session.metadata && summary.coverage == session.coverage)
    let steps = try await StatisticsCollectionQuery(.stepCount, buckets: .single).result(for: store).value
    #expect(steps.map(\.sum) == [Double((0..<120).map { $0 % 7 }.reduce(0, +))])
    #expect(try await store.commit(session) == .unchanged)
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.added.count == 7 && changes.deleted.isEmpty)
    try await store.delete(Self.session)
    #expect(try await store.check() == [])
    #expect(try Connection(old, flags: SQLITE_OPEN_READONLY).integer("PRAGMA user_version") == Schema.version)
  }

  private func contents(of path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  @Test("a program of layout 1 that has the file open reads on, and its next write fails and changes nothing")
  func openPrograms() async throws {
    let old = try old()
    let other = try Connection.undefended(old)
    let before = try OldReader.answers(other)
    #expect(before.count > 1000)
    let store = try HealthStore.open(old, for: .writing)
    #expect(try OldReader.answers(other) == before)
    for statement in OldReader.writes {
      #expect(throws: StoreError.self, "\(statement)") { try other.execute(statement) }
    }
    #expect(try OldReader.answers(other) == before)
    #expect(try await store.check().map(\.problem) == ["its beats lie outside of it"])
    // What a program of layout 1 looks at when it opens a file.
    #expect(try other.integer("PRAGMA user_version") > 1)
  }

  @Test(
    "a follower of a file of layout 1 continues through the migration, as does an old reader, while an old writer fails"
  )
  func followedMigration() async throws {
    let old = try old()
    let oldProgram = try Connection.undefended(old)
    let follower = try HealthStore.open(old, for: .reading, observing: true)
    var samples = SampleQuery().results(for: follower).makeAsyncIterator()
    let before = try #require(try await samples.next()?.value.map(\.id))
    var changes = ChangeQuery(after: .start).results(for: follower).makeAsyncIterator()
    #expect(try await changes.next()?.value.added.count == before.count && before.count == 7)
    try oldProgram.execute(OldReader.writes[0])

    let writer = try HealthStore.open(old, for: .writing)
    // What the follower had in memory was a store of its own.
    await #expect { _ = try await changes.next() } throws: { ($0 as? StoreError)?.code == .foreignAnchor }
    #expect(try await samples.next()?.value.map(\.id) == before)
    var found: [UUID] = []
    changes = ChangeQuery(after: .start, limit: 3).results(for: follower).makeAsyncIterator()
    while found.count < before.count { found += try #require(try await changes.next()).value.added.map(\.id) }
    #expect(Set(found) == Set(before))
    let beats = try makeSession(beats: 20).heartbeats
    for number in 1...10 {
      let new = try #require(NewSample(heartbeats: beats))
      try await writer.save(new, as: SourceRevision(identifier: "new", name: "New"))
      #expect(try await changes.next()?.value.added.map(\.id) == [new.id])
      found.append(new.id)
      #expect(throws: StoreError.self) { try oldProgram.execute(OldReader.writes[number % OldReader.writes.count]) }
      #expect(try oldProgram.integer("SELECT count(*) FROM sample") == Int64(before.count + number))
    }
    let final = try await SampleQuery().result(for: writer).value.map(\.id)
    #expect(Set(final) == Set(found) && final.count == found.count)
  }

  @Test("two writers that find the file in layout 1 bring it to the present one once")
  func twoWriters() async throws {
    let old = try old()
    let one = try Connection(old, flags: SQLITE_OPEN_READWRITE)
    let other = try Connection(old, flags: SQLITE_OPEN_READWRITE)
    try LayoutOne.migrate(one)
    let uuid = try ChangeReader(connection: one).store()
    try LayoutOne.migrate(other)
    #expect(try ChangeReader(connection: other).store() == uuid)
  }

  @Test("a file of layout 1 that cannot be brought to the present one stays as it is")
  func failingMigration() throws {
    let old = try old()
    let connection = try Connection(old, flags: SQLITE_OPEN_READWRITE)
    try connection.execute("DELETE FROM change WHERE number = 2; PRAGMA wal_checkpoint(TRUNCATE)")
    let bytes = folder.bytes(of: "old.sqlite")
    #expect(throws: StoreError.self) { try HealthStore.open(old, for: .writing) }
    #expect(folder.bytes(of: "old.sqlite") == bytes)
  }
}
