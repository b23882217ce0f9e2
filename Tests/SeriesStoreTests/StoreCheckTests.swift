import CSQLite
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
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(statement)
    #expect(try await store.check().count == 1)
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
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
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
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
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
