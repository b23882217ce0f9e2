import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// One subscriber and one writer of 1,000 samples a second in 10 transactions.
@Suite("Live statistics beside a writer")
struct LiveStatisticsTests {
  let folder = TemporaryFolder()
  private static let samplesInTransaction = 100
  private static let interval: Int64 = 60_000_000

  private static func value(_ index: Int) -> Double { Double(50 + index * 7919 % 101) }

  /// What the statistics of the first `count` samples are, a minute after the other: worked out value by value.
  private func expected(_ count: Int, buckets: Int) -> [[Double?]] {
    (0..<buckets).map { bucket in
      let values = (0..<count).filter { Int64($0) * 1000 / Self.interval == Int64(bucket) }.map(Self.value)
      guard let last = values.last else { return [0, nil, nil, nil, nil] }
      return [
        Double(values.count), values.reduce(0, +) / Double(values.count), values.min(), values.max(), last,
      ]
    }
  }

  @Test("every update equals the store at the same change number, and no transaction is seen in part")
  func updates() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    // A second of writing, without waiting for the clock; `make soak` writes for a minute in real time.
    let transactions = 10
    let total = transactions * Self.samplesInTransaction
    let buckets = (total * 1000) / Int(Self.interval) + 1
    let query = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(CalendarInterval(parsing: "1m"), zone: .utc), from: Timestamp(microseconds: 0),
      to: Timestamp(microseconds: Int64(buckets) * Self.interval))
    let writer = Task {
      for transaction in 0..<transactions {
        var samples: [NewSample] = []
        for index in transaction * Self.samplesInTransaction..<(transaction + 1) * Self.samplesInTransaction {
          // A millisecond apart: the time of the data is that of the writing.
          let time = Timestamp(microseconds: Int64(index) * 1000)
          var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
          try builder.insert(Self.value(index), from: time, to: time)
          samples.append(try builder.finish())
        }
        try await store.save(samples, as: SourceRevision(identifier: "test", name: "Test"))
      }
    }
    var updates = 0
    var last: Int64 = -1
    for try await snapshot in query.results(for: store) {
      updates += 1
      #expect(snapshot.change > last)
      last = snapshot.change
      #expect(snapshot.change % Int64(Self.samplesInTransaction) == 0)
      let found = snapshot.value.map { [Double($0.count), $0.average, $0.minimum, $0.maximum, $0.mostRecent] }
      let wanted = expected(Int(snapshot.change), buckets: buckets)
      #expect(found == wanted, "change \(snapshot.change)")
      if snapshot.change == Int64(total) { break }
    }
    try await writer.value
    #expect(updates > 0 && last == Int64(total))
  }
}
