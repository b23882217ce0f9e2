import FoundationEssentials
import HealthModel
import SeriesStore
import Testing

@Suite("StatisticsCollectionQuery")
struct StatisticsCollectionQueryTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  @Test("heart rates of two hours: every hour its own figures, an empty hour between none")
  func hours() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let hour: Int64 = 3_600_000_000
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(microseconds: 0))
    for (time, value) in [(0, 60.0), (hour - 1, 62), (2 * hour, 90)] as [(Int64, Double)] {
      try builder.insert(value, from: Timestamp(microseconds: time), to: Timestamp(microseconds: time))
    }
    try await store.save([try builder.finish()], as: program)
    let query = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(#require(CalendarInterval(1, .hour)), zone: .utc))
    let result = try await query.result(for: store).value
    #expect(result.map(\.count) == [2, 0, 1])
    #expect(result.map(\.average) == [61, nil, 90])
    #expect(result.map(\.minimum) == [60, nil, 90])
    #expect(result[1].coverage.covered == 0)
    #expect(result[1].sources.isEmpty)
    #expect(result[0].sources == [DataSource(source: "test")])
  }

  @Test("an empty store has no buckets, unless the time is given")
  func empty() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let day = try #require(CalendarInterval(1, .day))
    let open = try StatisticsCollectionQuery(.heartRate, buckets: .natural(day, zone: .utc))
    #expect(try await open.result(for: store).value.isEmpty)
    let given = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(day, zone: .utc), from: Timestamp(microseconds: 0),
      to: Timestamp(microseconds: 1))
    #expect(try await given.result(for: store).value.map(\.count) == [0])
    let backwards = try StatisticsCollectionQuery(
      .heartRate, buckets: .single, from: Timestamp(microseconds: 1), to: Timestamp(microseconds: 0))
    await #expect { try await backwards.result(for: store) } throws: { ($0 as? StoreError)?.code == .invalid }
  }

  @Test("a sum of heart rates and an average of steps are refused before anything is read")
  func options() {
    #expect(throws: StatisticsError.notForDiscrete(option: "sum", type: "heartRate")) {
      try StatisticsCollectionQuery(.heartRate, [.sum], buckets: .single)
    }
    #expect(throws: StatisticsError.notForCumulative(option: "average", type: "stepCount")) {
      try StatisticsCollectionQuery(.stepCount, [.average], buckets: .single)
    }
  }

  @Test("random series in a store agree with the rules applied to all of them at once", arguments: 0..<10)
  func random(part: UInt64) async throws {
    let seed = 4_400 + part
    var random = SplitMix64(seed: seed)
    let world = StatisticsWorld(&random)
    let store = try HealthStore.open(folder.store, for: .writing)
    try await world.save(into: store)
    for number in 0..<100 {
      let query = try world.query(&random)
      let found = try await query.result(for: store).value
      if let difference = try world.difference(query, found) {
        Issue.record("seed \(seed), query \(number): \(difference)")
        return
      }
    }
  }
}
