import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

/// Values in rows that no program writes, where an answer would be wrong, take all memory or end the program.
@Suite("Damaged rows")
struct DamagedRowTests {
  private let folder = TemporaryFolder()
  private let source = SourceRevision(identifier: "test", name: "Test")

  private func change(_ statement: String) throws {
    try Connection.undefended(folder.store).execute(statement)
  }

  private func rates(_ count: Int64) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(microseconds: 1_700_000_000_000_000))
    for second in 0..<count {
      let time = Timestamp(microseconds: 1_700_000_000_000_000 + second * 1_000_000)
      try builder.insert(60, from: time, to: time)
    }
    return try builder.finish()
  }

  @Test("a count of quantities that nothing can hold takes no memory", arguments: [Int64.max, .min, 1 << 40, -1])
  func count(count: Int64) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try rates(9), try rates(20)], as: source)
    let sound = try await QuantityQuery(.heartRate).result(for: store).value
    try change("UPDATE samples SET count = \(count)")
    #expect(try await QuantityQuery(.heartRate).result(for: store).value == sound)
    #expect(try await store.check().count == 2)
  }

  @Test(
    "statistics name the sample whose changed time would lay buckets over half a century",
    arguments: ["start = 0", "end = 99999999999999999", "start = 'x'"])
  func buckets(change: String) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let sample = try rates(20)
    try await store.save(sample, as: source)
    try self.change("UPDATE samples SET \(change)")
    let hours = StatisticsCollectionQuery.Buckets.natural(try CalendarInterval(parsing: "1h"), zone: .utc)
    let query = try StatisticsCollectionQuery(.heartRate, buckets: hours)
    let error = await #expect(throws: StoreError.self) { try await query.result(for: store) }
    #expect(error?.code == .corrupt(object: "sample \(sample.id.uuidString.lowercased())"))
  }

  @Test(
    "a part whose number no sample can have is deleted with its whole, and nothing else is",
    arguments: [Int64.max, .min, 1 << 44 | 1])
  func parts(number: Int64) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save(try rates(20), as: source)
    let moment = TimeSpan(at: Timestamp(microseconds: 5))
    let pair = try NewSample(
      CorrelationType(identifier: "pair", parts: []),
      of: [NewSample(.sleepAnalysis, .asleepUnspecified, over: moment)])
    try await store.save(pair, as: source)
    try change("UPDATE associations SET member = \(number)")
    try await store.delete([pair.id], as: "test")
    #expect(try await QuantityQuery(.heartRate).result(for: store).value.count == 20)
  }

  @Test("a column that has another name is damage of the file, and none of the disk")
  func declaration() async throws {
    await #expect(throws: Never.self) { try await HealthStore.open(folder.store, for: .writing).close() }
    try change(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'added INTEGER', 'addec INTEGER')")
    let store = try HealthStore.open(folder.store, for: .reading)
    let error = await #expect(throws: StoreError.self) { try await store.allowedSensors() }
    #expect(error?.code == .corrupt(object: "database"))
    #expect(try await !store.check().isEmpty)
  }
}
