import CSQLite
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Connection")
struct ConnectionTests {
  let folder = TemporaryFolder()

  @Test("compiled statements that are not in use have a limit")
  func limit() throws {
    let connection = try Connection(":memory:", flags: SQLITE_OPEN_READWRITE)
    for number in 0..<200 as Range<Int64> {
      #expect(try connection.integer("SELECT \(number)") == number)
      #expect(connection.idleCount <= Connection.idleLimit)
    }
    #expect(connection.idleCount == Connection.idleLimit)
  }

  @Test("statements used at the same time do not disturb each other, of one text or of many")
  func together() throws {
    let connection = try Connection(":memory:", flags: SQLITE_OPEN_READWRITE)
    var outer = try connection.prepare("SELECT 1 UNION SELECT 2")
    var sum: Int64 = 0
    while try outer.step() {
      for number in 0..<100 as Range<Int64> { sum += try connection.integer("SELECT \(number)") }
      var inner = try connection.prepare("SELECT 1 UNION SELECT 2")
      while try inner.step() { sum += inner.integer(0) }
    }
    #expect(sum == 2 * (99 * 50 + 3))
  }

  @Test("statements that run for every saved sample make no temporary table")
  func temporaryTables() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    for text in [
      ChangeList.insertion, ChangeList.newestQuery, SampleTable.numberQuery, Schema.samples.insertion,
    ] {
      var program = try file.connection.prepare("EXPLAIN \(text)")
      var steps = 0
      while try program.step() {
        #expect(program.text(1) != "OpenEphemeral", "\(text)")
        steps += 1
      }
      #expect(steps > 0)
    }
  }

  @Test("a type that was new to a save which failed is new to the next")
  func forgottenType() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    let source = SourceRevision(identifier: "test", name: "Test")
    let sample = NewSample(.sleepAnalysis, .asleepDeep, over: TimeSpan(at: Timestamp(microseconds: 5)))
    #expect(throws: StoreError.self) {
      try file.write { (connection) throws(StoreError) in try connection.samples.save([sample, sample], as: source) }
    }
    #expect(try file.connection.integer("SELECT count(*) FROM types") == 0)
    _ = try file.write { (connection) throws(StoreError) in try connection.samples.save([sample], as: source) }
    let samples = try SampleReader(connection: file.connection).samples(SampleQuery())
    #expect(samples.map(\.type.identifier) == ["sleepAnalysis"])
    // The failed save had recorded a change.
    #expect(try file.connection.integer("SELECT max(number) FROM changes") == 1)
    #expect(try file.connection.integer("SELECT count(*) FROM (\(ChangeList.broken))") == 0)
  }

  @Test("a row's checksum is the same where it is written and where SQL checks it")
  func checksums() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    let values: [SQLValue] = [
      .null, .integer(-1), .integer(.max), .real(-0.0), .real(1.5), .text(""), .text("über 8 Bytes"), .blob([]),
      .blob([0, 255, 7]),
    ]
    for count in 0...values.count {
      let places = (0..<count).map { "?\($0 + 1)" }.joined(separator: ", ")
      var statement = try file.connection.prepare("SELECT \(RowChecksum.name)(\(places))")
      for (index, value) in values.prefix(count).enumerated() { try statement.bind(value, at: Int32(index) + 1) }
      #expect(try statement.step() && statement.integer(0) == RowChecksum.of(Array(values.prefix(count))), "\(count)")
    }
  }

  @Test("a program that queries after every change compiles its statements once")
  func polling() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    let beats = try makeSession(beats: 20).heartbeats
    var anchor = ChangeAnchor.start
    var counts: [Int] = []
    for step in 0..<10 {
      let sample = try #require(NewSample(heartbeats: beats))
      _ = try file.write { (connection) throws(StoreError) in
        try connection.samples.save([sample], as: SourceRevision(identifier: "test", name: "Test"))
      }
      let changes = try ChangeReader(connection: file.connection).changes(ChangeQuery(after: anchor, limit: 100 + step))
      _ = try SampleReader(connection: file.connection).samples(SampleQuery(limit: 1 + step))
      #expect(changes.added.count == 1)
      anchor = changes.anchor
      counts.append(file.connection.idleCount)
    }
    #expect(Set(counts.dropFirst()).count == 1, "\(counts)")
  }
}
