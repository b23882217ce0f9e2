import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

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

  @Test("time that two chunks cover, which part within a quarter of an hour, is covered once")
  func sharedQuarter() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(microseconds: 0))
    // A chunk of 60 values ends an hour after its first value: the last two values are in one quarter and two chunks.
    let before = (0..<59).map { (500 + $0 * 20, 500 + $0 * 20) } as [(Int64, Int64)]
    for (start, end) in before + [(3700, 4400), (4200, 4300)] {
      try builder.insert(
        60, from: Timestamp(microseconds: start * 1_000_000), to: Timestamp(microseconds: end * 1_000_000))
    }
    try await store.save([try builder.finish()], as: program)
    let counts = try ReadOnlySQL(folder.store).all("SELECT count FROM hour_list ORDER BY start_us")
    #expect(counts == [[.integer(60)], [.integer(1)]])
    let query = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(#require(CalendarInterval(1, .day)), zone: .utc))
    let result = try await query.result(for: store).value
    #expect(result.map(\.coverage.covered) == [700_000_000])
    #expect(result.map(\.duration) == [800_000_000])
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

  /// A session of one rate every 10 s, recorded with a strap of its own.
  private func session(_ strap: Int, from start: Int64, to end: Int64, rate: UInt16) throws -> RecordedSession {
    var session = try makeSession(id: UUID(), seed: 1, beats: 20)
    session.device = Device(name: "Strap \(strap)", localIdentifier: "C0:FF:EE:00:00:0\(strap)")
    session.start = Timestamp(microseconds: start * 1_000_000)
    session.end = Timestamp(microseconds: end * 1_000_000)
    session.rates = stride(from: start, through: end, by: 10).map {
      HeartRateValue(time: Timestamp(microseconds: $0 * 1_000_000), beatsPerMinute: rate)
    }
    return session
  }

  @Test("the source with the oldest first sample counts, whatever was stored, deleted or restored when")
  func ranking() async throws {
    let (first, second) = (try session(1, from: 60, to: 360, rate: 100), try session(2, from: 0, to: 600, rate: 60))
    let later = try session(1, from: 100_000, to: 100_600, rate: 90)
    let laterToo = try session(2, from: 100_200, to: 100_400, rate: 70)
    func averages(_ store: HealthStore, from: Int64, to: Int64) async throws -> Double? {
      let query = try StatisticsCollectionQuery(
        .heartRate, buckets: .single, from: Timestamp(microseconds: from * 1_000_000),
        to: Timestamp(microseconds: to * 1_000_000))
      return try await query.result(for: store).value.first?.average
    }
    let store = try HealthStore.open(folder.store, for: .writing)
    for session in [first, second, later, laterToo] { _ = try await store.commit(session) }
    let expected = try await averages(store, from: 0, to: 700)
    #expect(expected == 60)
    let sources = try await StatisticsCollectionQuery(.heartRate, [.average, .separateBySource], buckets: .single)
      .result(for: store).value.compactMap(\.source?.device)
    #expect(sources == ["C0:FF:EE:00:00:02", "C0:FF:EE:00:00:01"])
    // The queried range does not decide which source counts: of the later two it is the one that was first in the whole
    // store.
    let part = try await averages(store, from: 100_000, to: 100_700)
    for session in [first, later] {
      try await store.delete(session.id)
      _ = try await store.commit(session, restore: true)
    }
    #expect(try await averages(store, from: 0, to: 700) == expected)
    #expect(try await averages(store, from: 100_000, to: 100_700) == part)
    #expect(try #require(part) < 90, "the second strap speaks where it has values")
  }

  @Test("a source without a device has no precedence, and equal beginnings go by name")
  func rankingOfEqualBeginnings() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    func sample(_ value: Double, at second: Int64, device: String?) throws -> NewSample {
      let start = Timestamp(microseconds: second * 1_000_000)
      var builder = QuantitySeriesBuilder(
        type: .heartRate, start: start, device: device.map { Device(localIdentifier: $0) })
      for step in 0..<10 as Range<Int64> {
        let time = start.advanced(byMicroseconds: step * 1_000_000)
        try builder.insert(value, from: time, to: time)
      }
      return try builder.finish()
    }
    for (value, second, device) in [(70, 5, "b"), (80, 5, "a"), (60, 6, nil)] as [(Double, Int64, String?)] {
      try await store.save([try sample(value, at: second, device: device)], as: program)
    }
    let rows = try await StatisticsCollectionQuery(.heartRate, [.average, .separateBySource], buckets: .single)
      .result(for: store).value
    #expect(rows.map(\.source?.device) == ["a", "b", nil])
  }

  @Test("random series in a store agree with the rules applied to all of them at once", arguments: 0..<10)
  func random(part: UInt64) async throws {
    let seed = 4_400 + part
    var random = SeededGenerator(seed: seed)
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
