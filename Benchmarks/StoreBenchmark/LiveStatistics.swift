import HealthModel
import SeriesStore

/// One subscriber to statistics beside a writer of 1,000 samples a second in 10 transactions, in real time.
enum LiveStatistics {
  private static let samplesInTransaction = 100
  private static let interval: Int64 = 60_000_000

  private static func value(_ index: Int) -> Double { Double(50 + index * 7919 % 101) }

  /// Writes for so many seconds; throws where an update is not what was stored at its change number.
  static func run(seconds: Int, in path: String) async throws {
    let store = try HealthStore.open(path, for: .writing)
    let transactions = seconds * 10
    let total = transactions * samplesInTransaction
    let end = (Int64(total) * 1000 / interval + 1) * interval
    let query = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(CalendarInterval(parsing: "1m"), zone: .utc), from: Timestamp(microseconds: 0),
      to: Timestamp(microseconds: end))
    let clock = ContinuousClock()
    let start = clock.now
    let writer = Task {
      do {
        for transaction in 0..<transactions {
          try await store.save(samples(of: transaction), as: SourceRevision(identifier: "benchmark", name: "benchmark"))
          try await clock.sleep(until: start + .milliseconds(100 * (transaction + 1)))
        }
      } catch {
        // Ends the live query: nobody waits for values that do not come.
        await store.close()
        throw error
      }
      return clock.now
    }
    var updates = 0
    var last: Int64 = -1
    var results = query.results(for: store).makeAsyncIterator()
    while last < total, let snapshot = try await results.next() {
      updates += 1
      let isNew = snapshot.change > last && snapshot.change % Int64(samplesInTransaction) == 0
      last = snapshot.change
      let found = snapshot.value.map { [Double($0.count), $0.average, $0.minimum, $0.maximum, $0.mostRecent] }
      guard isNew, found == expected(Int(snapshot.change), buckets: Int(end / interval)) else {
        throw BenchmarkError.differs(change: snapshot.change)
      }
    }
    let written = try await writer.value
    StoreBenchmark.show("samples", total)
    StoreBenchmark.show("transactions", transactions)
    StoreBenchmark.show("updates-all-equal", updates)
    StoreBenchmark.show("written-after-seconds", (written - start) / .seconds(1))
    StoreBenchmark.show("last-update-after-seconds", (clock.now - start) / .seconds(1))
    await store.close()
  }

  private static func samples(of transaction: Int) throws -> [NewSample] {
    try (transaction * samplesInTransaction..<(transaction + 1) * samplesInTransaction).map { index in
      // A millisecond apart: the time of the data is that of the writing.
      let time = Timestamp(microseconds: Int64(index) * 1000)
      var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
      try builder.insert(value(index), from: time, to: time)
      return try builder.finish()
    }
  }

  /// What the statistics of the first `count` samples are, minute by minute: worked out value by value.
  private static func expected(_ count: Int, buckets: Int) -> [[Double?]] {
    (0..<buckets).map { bucket in
      let first = min(count, bucket * Int(interval) / 1000)
      let values = (first..<min(count, (bucket + 1) * Int(interval) / 1000)).map(value)
      guard let last = values.last else { return [0, nil, nil, nil, nil] }
      return [Double(values.count), values.reduce(0, +) / Double(values.count), values.min(), values.max(), last]
    }
  }
}
