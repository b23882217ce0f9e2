import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Damaged chunks")
struct DamagedChunkTests {
  let folder = TemporaryFolder()

  /// What every query answers, or the object that it names as damaged.
  private func answers(_ store: HealthStore, _ session: UUID, _ steps: UUID) async throws -> [String] {
    var answers: [String] = []
    func note(_ body: () async throws(StoreError) -> String) async {
      do throws(StoreError) {
        answers.append(try await body())
      } catch {
        answers.append(error.isCorrupt ? "damaged: \(error.code)" : "unexpected: \(error)")
      }
    }
    let hours = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(CalendarInterval(parsing: "1h"), zone: .utc))
    let odd = try StatisticsCollectionQuery(.stepCount, buckets: .natural(CalendarInterval(parsing: "7m"), zone: .utc))
    await note { () throws(StoreError) in "\(try await store.rates(of: session))" }
    await note { () throws(StoreError) in "\(try await store.beats(of: session))" }
    await note { () throws(StoreError) in "\(try await hours.result(for: store).value)" }
    await note { () throws(StoreError) in "\(try await odd.result(for: store).value)" }
    await note { () throws(StoreError) in
      "\(try await QuantityQuery(.stepCount, predicate: .identifier([steps])).result(for: store).value)"
    }
    await note { () throws(StoreError) in "\(try await store.sessions().count)" }
    return answers
  }

  @Test("two exchanged chunks of a sample are reported as damage, not answered in the wrong order")
  func swapped() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(microseconds: 0))
    for second in 0..<14_400 as Range<Int64> {
      let time = Timestamp(microseconds: second * 1_000_000)
      try builder.insert(Double(60 + second % 40), from: time, to: time)
    }
    try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    // The first and the last stay: only the order inside is wrong.
    let ids = "SELECT id FROM chunks ORDER BY id LIMIT 1 OFFSET"
    #expect(try connection.integer("SELECT count(*) FROM chunks") == 4)
    try connection.execute("CREATE TEMP TABLE kept AS SELECT payload FROM chunks WHERE id = (\(ids) 1)")
    try connection.execute(
      "UPDATE chunks SET payload = (SELECT payload FROM chunks WHERE id = (\(ids) 2)) WHERE id = (\(ids) 1)")
    try connection.execute("UPDATE chunks SET payload = (SELECT payload FROM kept) WHERE id = (\(ids) 2)")
    let error = await #expect(throws: StoreError.self) { try await QuantityQuery(.heartRate).result(for: store) }
    #expect(error?.isCorrupt == true)
  }

  @Test(
    "flipped bits, cut ends and missing chunks are named by every query that meets them, and never change an answer")
  func random() async throws {
    let seed: UInt64 = 65
    var random = SeededGenerator(seed: seed)
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession(beats: 600)
    _ = try await store.commit(session)
    var builder = QuantitySeriesBuilder(type: .stepCount, start: Timestamp(microseconds: 0))
    for second in 0..<900 as Range<Int64> {
      let start = Timestamp(microseconds: second * 7_000_000)
      try builder.insert(Double(second % 9), from: start, to: start.advanced(byMicroseconds: 5_000_000))
    }
    let steps = try builder.finish()
    try await store.save([steps], as: SourceRevision(identifier: "test", name: "Test"))
    let sound = try await answers(store, session.id, steps.id)
    #expect(!sound.contains { $0.hasPrefix("damaged") || $0.hasPrefix("unexpected") })
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    let rows = try connection.integer("SELECT count(*) FROM chunks")
    for number in 0..<60 {
      let table = Int.random(in: 0..<3, using: &random) == 0 ? ("summaries", "cells") : ("chunks", "payload")
      let offset = Int64.random(in: 0..<max(1, table.0 == "chunks" ? rows : 2), using: &random)
      let row = try connection.integer("SELECT id FROM \(table.0) ORDER BY id LIMIT 1 OFFSET \(offset)")
      var bytes: [UInt8]
      do {
        var statement = try connection.prepare("SELECT \(table.1) FROM \(table.0) WHERE id = \(row)")
        _ = try statement.step()
        bytes = statement.bytes(0)
      }
      let whole = bytes
      if Bool.random(using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      }
      func write(_ bytes: [UInt8]) throws {
        var statement = try connection.prepare("UPDATE \(table.0) SET \(table.1) = ?1 WHERE id = \(row)")
        try statement.bind(bytes, at: 1)
        try statement.run()
      }
      try write(bytes)
      let found = try await answers(store, session.id, steps.id)
      for (answer, expected) in zip(found, sound) where answer != expected {
        #expect(answer.hasPrefix("damaged: corrupt(object: \"s"), "seed \(seed), case \(number): \(answer.prefix(200))")
      }
      #expect(try await !store.check().isEmpty, "seed \(seed), case \(number)")
      #expect(found.last == "1")
      try write(whole)
    }
    #expect(try await answers(store, session.id, steps.id) == sound)
  }
}
