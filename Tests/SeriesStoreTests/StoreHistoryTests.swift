import FoundationEssentials
import HealthModel
import StoreSamples
import TestSupport
import Testing

@testable import SeriesStore

@Suite("History row by row")
struct StoreHistoryTests {
  let folder = TemporaryFolder()

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func plain(_ text: String) throws -> [[SQLValue]] {
    let sql = try ReadOnlySQL(folder.store)
    var rows = try sql.rows(of: text)
    var found: [[SQLValue]] = []
    while let row = try rows.next() { found.append(row) }
    return found
  }

  @Test("every row of a session is there as the file has it, with what its numbers refer to")
  func wholeSession() async throws {
    let store = try open()
    let recorded = UUID()
    try await SampleSessions.save(
      recorded, start: Timestamp(microseconds: 1_714_920_600_436_000), sensor: "C0:FF:EE:00:00:01", into: store)
    let history = try await store.history(after: .start, limit: 100)
    #expect(history.changes.map(\.number) == (1...Int64(history.changes.count)).map { $0 })
    #expect(history.last == Int64(history.changes.count) && !history.hasMore && history.altered.isEmpty)
    let first = history.changes[0]
    #expect(first.object == recorded && first.rows[0].table == "sessions" && first.time != nil)
    #expect(first.type?["kind"] == .text("session") && first.device?["local_identifier"] == .text("C0:FF:EE:00:00:01"))
    #expect(history.changes.dropFirst().allSatisfy { $0.session == recorded && $0.rows[0].table == "samples" })

    // All rows of all tables that belong to objects, and no other.
    for table in [
      "sessions", "samples", "gaps", "markers", "metadata_values", "associations", "chunks", "summaries",
      "heartbeat_series", "runs",
    ] {
      let names = try ReadOnlySQL(folder.store).rows(of: "SELECT * FROM \(table) LIMIT 0").columns.dropLast()
      let expected = try plain("SELECT \(names.map { "\"\($0)\"" }.joined(separator: ", ")) FROM \(table)")
      let found = history.changes.flatMap(\.rows).filter { $0.table == table }
      #expect(Set(found.map(\.values)) == Set(expected) && found.count == expected.count, "\(table)")
      #expect(found.allSatisfy { $0.columns == Array(names) }, "\(table)")
    }
    let bases = history.changes.flatMap(\.rows).filter { $0.table == "associations" }
    #expect(!bases.isEmpty)
    for change in history.changes {
      for row in change.rows where row.table == "associations" {
        guard case .integer(let member) = row["member"] else { continue }
        #expect(change.members[member] == history.changes[Int(member) - 1].object)
      }
    }
  }

  @Test("parts of a history put together are the whole one, and a replaced or deleted object has no rows")
  func parts() async throws {
    let store = try open()
    let (kept, gone) = (UUID(), UUID())
    let start = Timestamp(microseconds: 1_714_920_600_436_000)
    try await SampleSessions.save(kept, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    try await SampleSessions.save(gone, seed: 2, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    try await SampleSessions.save(kept, version: 2, beats: 240, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    try await SampleSessions.delete(gone, from: store)
    let whole = try await store.history(after: .start, limit: 1_000)
    for limit in [1, 2, 7] {
      var anchor = ChangeAnchor.start
      var changes: [StoredChange] = []
      var hasMore = true
      while hasMore {
        let part = try await store.history(after: anchor, limit: limit)
        #expect(part.changes.count == limit || !part.hasMore)
        changes += part.changes
        (anchor, hasMore) = (part.anchor, part.hasMore)
      }
      #expect(changes == whole.changes && anchor == whole.anchor)
    }
    // As little at a time as there is: one change.
    #expect(try await store.history(after: .start, limit: 100, bytes: 1).changes.count == 1)
    #expect(whole.changes.filter { $0.object == gone }.map(\.isDeletion) == [false, true])
    #expect(whole.changes.filter { $0.object == gone }.allSatisfy { $0.rows.isEmpty })
    let saves = whole.changes.filter { $0.object == kept }
    #expect(saves.map(\.isDeletion) == [false, false] && saves.map(\.rows.isEmpty) == [true, false])
    #expect(try await store.history(of: [kept, gone]) == [saves[1]])
    #expect(try await store.history(after: whole.anchor, limit: 9).changes.isEmpty)
  }

  @Test("devices are those that objects refer to, and a number is free again where nothing does")
  func devices() async throws {
    let store = try open()
    #expect(try await store.historyDevices().isEmpty)
    let start = Timestamp(microseconds: 1_714_920_600_436_000)
    let (first, second) = (UUID(), UUID())
    try await SampleSessions.save(first, start: start, sensor: "C0:FF:EE:00:00:01", into: store)
    let devices = try await store.historyDevices()
    #expect(try await store.history(of: [first]).map(\.device) == devices && devices.count == 1)
    try await SampleSessions.delete(first, from: store)
    #expect(try await store.historyDevices().isEmpty)
    try await SampleSessions.save(second, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let others = try await store.historyDevices()
    #expect(
      others.map { $0["local_identifier"] } == [.text("C0:FF:EE:00:00:02")] && others[0]["id"] == devices[0]["id"])
  }

  @Test("an object that collected something new is among those that were altered")
  func altered() async throws {
    let store = try open()
    let program = SourceRevision(identifier: "org.example", name: "Example")
    let start = Timestamp(microseconds: 1_714_920_600_000_000)
    let end = start.advanced(byMicroseconds: 600_000_000)
    let session = UUID()
    try await SampleSessions.save(session, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let before = try await store.history(after: .start, limit: 100)
    let rates = try #require(before.changes.first { $0.type?["identifier"] == .text("heartRate") })
    var activity = try WorkoutSession(WorkoutConfiguration(.running))
    try activity.startActivity(at: start)
    try activity.stopActivity(at: end)
    try activity.end(at: end)
    var builder = try WorkoutBuilder(of: activity)
    let workout = try builder.finishWorkout()
    try await store.save(try NewSample(workout, collected: [rates.object]), as: program)
    let saved = try await store.history(after: before.anchor, limit: 100)
    try await SampleSessions.save(
      session, version: 2, beats: 240, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let after = try await store.history(after: saved.anchor, limit: 100)
    #expect(after.altered.map(\.object) == [workout.id])
    #expect(after.altered[0].members.values.contains { $0 != rates.object })
  }

  /// Changes the file as another program: without the checksums that belong to it.
  private func alter(_ statement: String) throws {
    try Connection.undefended(folder.store).execute(statement)
  }

  @Test(
    "a row that is not what was written is named by its table, and all other changes are as before",
    arguments: [
      ("UPDATE samples SET average = average + 1 WHERE id = 2", [2: "samples"]),
      ("UPDATE summaries SET count = count + 1 WHERE id = (SELECT min(id) FROM summaries)", [2: "summaries"]),
      (
        "UPDATE chunks SET payload = CAST(payload || x'00' AS BLOB) WHERE id = (SELECT min(id) FROM chunks)",
        [2: "chunks"]
      ),
      ("UPDATE gaps SET lost = lost + 1", [1: "gaps"]), ("UPDATE sessions SET quality = NULL", [1: "sessions"]),
      ("UPDATE changes SET deleted = 1 WHERE number = 3", [3: "changes"]),
      ("UPDATE changes SET uuid = x'00112233445566778899aabbccddeeff' WHERE number = 2", [2: "changes"]),
      // A checksum alone says nothing against the rows that it is of.
      ("UPDATE changes SET checksum = checksum + 1 WHERE number = 2", [:]),
      ("UPDATE changes SET checksum = checksum + 1 WHERE number = 1", [:]),
      ("UPDATE changes SET uuid = 7 WHERE number = 2", [2: "changes"]),
    ] as [(String, [Int64: String])])
  func damages(_ statement: String, _ expected: [Int64: String]) async throws {
    let store = try open()
    let start = Timestamp(microseconds: 1_714_920_600_000_000)
    try await SampleSessions.save(UUID(), beats: 300, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let before = try await store.history(after: .start, limit: 100)
    #expect(before.changes.allSatisfy { $0.damagedTables.isEmpty })
    await store.close()
    try alter(statement)
    let after = try await HealthStore.open(folder.store, for: .reading).history(after: .start, limit: 100)
    var found: [Int64: String] = [:]
    for (old, new) in zip(before.changes, after.changes) {
      if new.damagedTables.isEmpty {
        #expect(new == old)
      } else {
        found[new.number] = new.damagedTables.sorted().joined(separator: " ")
      }
    }
    #expect(found == expected && after.changes.count == before.changes.count && !after.hasMore)
  }

  @Test("changes that cannot be read keep none behind them back, and a list's unreadable end has no anchor of its own")
  func unreadable() async throws {
    let store = try open()
    let start = Timestamp(microseconds: 1_714_920_600_000_000)
    try await SampleSessions.save(UUID(), start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let whole = try await store.history(after: .start, limit: 100)
    await store.close()
    try alter("UPDATE changes SET uuid = 7 WHERE number IN (2, 3) OR number = \(whole.last)")
    let damaged = try HealthStore.open(folder.store, for: .reading)
    let first = try await damaged.history(after: .start, limit: 2)
    // The second has no anchor, nor has the third.
    #expect(first.changes.map(\.number) == [1, 2, 3, 4] && first.hasMore)
    #expect(first.changes[3].rows == whole.changes[3].rows)
    let rest = try await damaged.history(after: first.anchor, limit: 100)
    #expect(rest.changes.last?.object == StoredChange.nothing && !rest.hasMore)
    let end = try await damaged.history(after: rest.anchor, limit: 100)
    #expect(end.changes.map(\.number) == [whole.last] && end.anchor == rest.anchor)
  }

  private func code(_ anchor: ChangeAnchor, _ store: HealthStore) async -> StoreError.Code? {
    do throws(StoreError) {
      _ = try await store.history(after: anchor, limit: 1)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("an anchor of another store or of another history is refused by name")
  func anchors() async throws {
    let store = try open()
    let start = Timestamp(microseconds: 1_714_920_600_000_000)
    try await SampleSessions.save(UUID(), start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let anchor = try await store.history(after: .start, limit: 3).anchor
    let other = try HealthStore.open("\(folder.path)/other.sqlite", for: .writing)
    #expect(await code(anchor, other) == .foreignAnchor)
    let digits = anchor.description.dropLast()
    let last = anchor.description.last == "0" ? "1" : "0"
    let lost = try #require(ChangeAnchor("\(digits)\(last)"))
    #expect(await code(lost, store) == .lostAnchor)
    #expect(await code(anchor, store) == nil)
  }

  @Test("packed cells give the figures that a summary has, and damage is said")
  func cells() async throws {
    let store = try open()
    let start = Timestamp(microseconds: 1_714_920_600_000_000)
    try await SampleSessions.save(UUID(), beats: 3_000, start: start, sensor: "C0:FF:EE:00:00:02", into: store)
    let rows = try await store.history(after: .start, limit: 100).changes.flatMap(\.rows)
    let summary = try #require(rows.first { $0.table == "summaries" && $0["count"] == .integer(3_000) })
    guard case .blob(var packed) = summary["cells"] else { throw TestFailure.noCells }
    let cells = try QuarterCell.unpack(packed)
    #expect(cells.count >= 3 && cells.map(\.count).reduce(0, +) == 3_000)
    #expect(.real(cells.map(\.minimum).min() ?? 0) == summary["minimum"])
    #expect(.real(cells.map(\.sum).reduce(0, +)) == summary["sum"])
    packed[8] ^= 1
    #expect(throws: StoreError.self) { try QuarterCell.unpack(packed) }
  }

  private enum TestFailure: Error { case noCells }

  @Test("the digest of a row tells the kinds of its values apart, and where each begins")
  func digests() {
    let rows =
      [
        [.integer(1)], [.real(1)], [.text("1")], [.blob([49])], [.null], [.text("ab"), .text("c")],
        [.text("a"), .text("bc")],
      ]
      as [[SQLValue]]
    let digests = Set(rows.map { StoredRow(table: "t", columns: [], values: $0).digest })
    #expect(digests.count == rows.count)
    #expect(!digests.contains(StoredRow(table: "u", columns: [], values: [.null]).digest))
    // The vector of FIPS 180-2.
    #expect(StoredRow.digest(of: Array("abc".utf8)).prefix(4).elementsEqual([0xBA, 0x78, 0x16, 0xBF]))
  }
}
