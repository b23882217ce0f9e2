import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Checking a store")
struct StoreCheckTests {
  let folder = TemporaryFolder()

  private func store() async throws -> HealthStore {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession(beats: 3000))
    var builder = QuantitySeriesBuilder(type: .stepCount, start: Timestamp(microseconds: 0))
    for second in 0..<500 as Range<Int64> {
      let start = Timestamp(microseconds: second * 7_000_000)
      try builder.insert(Double(second % 9), from: start, to: start.advanced(byMicroseconds: 5_000_000))
    }
    try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    return store
  }

  @Test("a sound store has no damage")
  func sound() async throws {
    #expect(try await store().check() == [])
  }

  @Test("a sum is sound whose values cancel out, though it was added up in another order", arguments: [true, false])
  func cancelled(isSound: Bool) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .stepCount, start: Timestamp(microseconds: 0))
    // Two chunks, of which the second has two cells.
    for (hour, value) in [(0, 0.1), (48, 0.2), (50, -0.3)] as [(Int64, Double)] {
      let time = Timestamp(microseconds: hour * 3_600_000_000)
      try builder.insert(value, from: time, to: time)
    }
    try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    let sum = isSound ? 0.1 + 0.2 - 0.3 : 1e-6
    let columns = Schema.samples.columns.map { $0 == "sum" ? "\(sum)" : $0 }.joined(separator: ", ")
    try Connection.undefended(folder.store).execute(
      "UPDATE samples SET sum = \(sum), checksum = row_checksum(\(columns)) WHERE sum <> \(sum)")
    #expect(try await store.check().map(\.problem) == (isSound ? [] : ["its figures are not those of its values"]))
  }

  @Test("a store without sessions and devices is sound too")
  func withoutSessions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .bodyMass, start: Timestamp(microseconds: 0))
    try builder.insert(70, from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 0))
    try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    #expect(try await store.check() == [])
  }

  @Test(
    "what was changed behind its back is named",
    arguments: [
      "UPDATE summaries SET maximum = maximum + 1 WHERE id = (SELECT min(id) FROM summaries)",
      "UPDATE summaries SET cells = zeroblob(40) WHERE id = (SELECT max(id) FROM summaries)",
      "UPDATE chunks SET payload = substr(payload, 1, 20) WHERE id = (SELECT min(id) FROM chunks)",
      "DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)",
      "DELETE FROM runs WHERE ordinal = 0", "DELETE FROM changes WHERE number = 2",
      "UPDATE samples SET count = count + 1 WHERE id IN (SELECT sample FROM heartbeat_series)",
    ])
  func damaged(statement: String) async throws {
    let store = try await store()
    try Connection.undefended(folder.store).execute(statement)
    #expect(try await store.check().count == 1)
  }

  @Test(
    "a changed row is named by the session or sample that it is of",
    arguments: [
      ("sessions SET start = start + 1000", "session"), ("sessions SET end_reason = 'request'", "session"),
      ("sessions SET coverage_floor = 0.5", "session"), ("sessions SET quality = NULL", "session"),
      ("gaps SET lost = 3", "session"), ("metadata_values SET value = 8 WHERE key = 'level'", "session"),
      ("runs SET uncertainty = 1 WHERE ordinal = 0", "sample"), ("associations SET position = 1", "sample"),
      ("samples SET average = 50 WHERE count = 1 AND session IS NOT NULL", "sample"),
    ])
  func changedRows(change: String, object: String) async throws {
    let store = try await store()
    try Connection.undefended(folder.store).execute("UPDATE \(change)")
    let found = try await store.check()
    let objects = Set(found.map { $0.object.prefix { $0 != " " } })
    #expect(!found.isEmpty && objects.isSubset(of: [object[...], "associations"]), "\(found)")
    #expect(found.contains { $0.problem.contains("is not as it was written") })
  }

  @Test(
    "what no checksum of a row tells is named too: declarations, missing rows, objects without a trace",
    arguments: [
      "DELETE FROM store", "DELETE FROM content_tables WHERE name = 'runs'", "DELETE FROM commits WHERE first = 1",
      "DELETE FROM gaps WHERE ordinal = 0", "INSERT INTO commits VALUES (900, 1, row_checksum(900, 1))",
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'rate.average', 'rate.minimum')",
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'added INTEGER', 'addec INTEGER')",
      "DELETE FROM samples WHERE session IS NULL; DELETE FROM chunks WHERE id >> 20 NOT IN (SELECT id FROM samples); "
        + "DELETE FROM summaries WHERE id >> 20 NOT IN (SELECT id FROM samples)",
    ])
  func untold(statement: String) async throws {
    var session = try makeSession()
    session.gaps += [RecordingGap(reason: "silence", start: session.start, end: session.end)]
    do {
      let store = try await store()
      _ = try await store.commit(session)
      #expect(try await store.check() == [])
      await store.close()
    }
    try Connection.undefended(folder.store).execute(statement)
    let found = try await HealthStore.open(folder.store, for: .reading).check()
    #expect(!found.isEmpty, "\(statement)")
  }

  @Test("a table that cannot be read hides the damage of no other")
  func unreadableTable() async throws {
    let store = try await store()
    let connection = try Connection.undefended(folder.store)
    let page = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'gaps'")
    try connection.execute("UPDATE sessions SET end_reason = 'request'; PRAGMA wal_checkpoint(TRUNCATE)")
    await store.close()
    var bytes = folder.bytes(of: "store.sqlite")
    for place in Int(page - 1) * 16_384..<Int(page) * 16_384 { bytes[place] = 0xA5 }
    try folder.write("copy.sqlite", bytes)
    let found = try await HealthStore.open("\(folder.path)/copy.sqlite", for: .reading).check()
    #expect(found.contains { $0.object == "database" })
    #expect(
      found.contains { $0.object.hasPrefix("session ") && $0.problem.contains("of sessions is not as") }, "\(found)")
  }

  @Test("what was not looked at is said, samples of unknown kinds with their number")
  func unexamined() async throws {
    let store = try await store()
    let before = try await store.examine().unexamined
    #expect(before.count == 2 && before[0].contains("metadata"))
    try FutureContent.prepare(folder.store)
    let span = TimeSpan(at: Timestamp(microseconds: 5))
    try await store.save(
      NewSample(
        FutureContent(), of: SampleType(identifier: "skiDescent", kind: FutureContent.kind), over: span, id: UUID(),
        device: nil, metadata: [:], sync: nil), as: SourceRevision(identifier: "test", name: "Test"))
    let after = try await store.examine().unexamined
    #expect(after.count == 3 && after.last?.contains("1 sample of the unknown kind descent") == true, "\(after)")
  }

  /// What a session can have outside of itself.
  enum Outside: String, CaseIterable {
    case rates, beats, gaps
  }

  @Test(
    "a rate, a beat or a gap outside of its session is named; rates are stored to the millisecond",
    arguments: Outside.allCases, [false, true])
  func outside(_ kind: Outside, atEnd: Bool) async throws {
    let whole = try makeSession()
    let problem = [.rates: "its rates", .beats: "its beats", .gaps: "its gaps"][kind].map { "\($0) lie outside of it" }
    // A gap of the whole session, and then each with all that is inside of it a little too long.
    for excess in [0, 1000] as [Int64] {
      var session = try makeSession()
      session.rates = kind == .rates ? whole.rates : []
      session.heartbeats = kind == .beats ? whole.heartbeats : HeartbeatSeries()
      session.gaps = kind == .gaps ? [RecordingGap(reason: "link", start: whole.start, end: whole.end)] : []
      let last = kind == .rates ? whole.rates.last?.time ?? whole.end : whole.end
      session.start = whole.start.advanced(byMicroseconds: atEnd ? 0 : excess)
      session.end = last.advanced(byMicroseconds: atEnd ? -excess : 0)
      let store = try HealthStore.open("\(folder.path)/\(excess).sqlite", for: .writing)
      _ = try await store.commit(session)
      let found = try await store.check()
      #expect(found.map(\.problem) == (excess == 0 ? [] : [problem]))
      #expect(found.allSatisfy { $0.object == "session \(session.id.uuidString.lowercased().filter { $0 != "-" })" })
    }
  }

  @Test("the views show sessions, samples and hours to every program that reads SQLite")
  func views() async throws {
    let store = try await store()
    let connection = try Connection.undefended(folder.store)
    var statement = try connection.prepare("SELECT device_name, start, rates, beats, gaps, sdnn_ms FROM session_list")
    #expect(try statement.step())
    #expect(statement.text(0) == "H10")
    #expect(statement.text(1) == "2024-05-05T14:50:00.436Z")
    #expect(statement.integer(2) == 3000 && statement.integer(3) == 3000 && statement.integer(4) == 1)
    #expect(statement.real(5) == 51.5)
    #expect(try connection.integer("SELECT count(*) FROM sample_list") == 6)
    #expect(try connection.integer("SELECT sum(count) FROM hour_list") == 3500)
    #expect(try await store.check() == [])
  }

  @Test("the views cut times to milliseconds, as all other output does")
  func cutTimes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for microsecond in [436_499, 436_500, 436_999, 437_000] as [Int64] {
      let start = Timestamp(microseconds: 1_714_920_600_000_000 + microsecond)
      _ = try await store.commit(try makeSession(beats: 20, start: start))
    }
    let connection = try Connection.undefended(folder.store)
    for view in ["session_list", "sample_list"] {
      var statement = try connection.prepare("SELECT start, start_us, end, end_us FROM \(view)")
      while try statement.step() {
        for column in [0, 2] as [Int32] {
          let time = Timestamp(microseconds: statement.integer(column + 1))
          #expect(statement.text(column) == time.iso8601(fractionDigits: 3))
        }
      }
    }
  }
}
