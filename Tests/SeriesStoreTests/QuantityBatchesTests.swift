import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("Quantities in batches, one sample, deletion by predicate, cancelled queries")
struct QuantityBatchesTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")

  private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  private func series(_ seconds: [Int64], type: QuantityType = .heartRate) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: type, start: at(seconds.first ?? 0), order: .recorded)
    for second in seconds { try builder.insert(Double(second % 97), from: at(second), to: at(second)) }
    return try builder.finish()
  }

  private func all(_ query: QuantityQuery, _ store: HealthStore) async throws -> [QuantityList.Element] {
    var elements: [QuantityList.Element] = []
    for try await batch in query.batches(for: store) {
      #expect(!batch.isEmpty)
      elements += batch
    }
    return elements
  }

  @Test("batches hold the same as one answer, in the same order", arguments: 0..<10)
  func same(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await all(QuantityQuery(.heartRate), store).isEmpty)
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let start = Int64.random(in: 0...3_000_000, using: &random)
      let step = Int64([1, 60, 40_000][Int.random(in: 0..<3, using: &random)])
      let count = Int64.random(in: 1...2000, using: &random)
      try await store.save(series((0..<count).map { start + $0 * step }), as: program)
    }
    for isGrouped in [false, true] {
      for bounds in [nil, (at(500_000), at(20_000_000))] {
        let query = QuantityQuery(.heartRate, from: bounds?.0, to: bounds?.1, isGroupedBySample: isGrouped)
        #expect(try await all(query, store) == Array(query.result(for: store).value))
      }
    }
  }

  @Test("a batch is small however long the series is, and all are of one state")
  func bounded() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for part in 0..<4 as Range<Int64> {
      try await store.save(series((0..<50_000).map { part * 50_000 + $0 }), as: program)
    }
    var count = 0
    for try await batch in QuantityQuery(.heartRate).batches(for: store) {
      #expect(batch.count <= 16_384 + 3600)
      if count == 0 { try await store.save(series([100, 199_999]), as: program) }
      count += batch.count
    }
    #expect(count == 200_000)
    #expect(try await QuantityQuery(.heartRate).result(for: store).value.count == 200_002)
  }

  @Test("one sample is saved, and has one outcome")
  func saveOne() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let sample = try series([1])
    #expect(try await store.save(sample, as: program) == .stored)
    await #expect { try await store.save(sample, as: program) } throws: { ($0 as? StoreError)?.code == .invalid }
  }

  @Test("a program deletes by predicate what it saved, and nothing else")
  func deleteByPredicate() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let mine = [try series([1]), try series([2, 3]), try series([4], type: .bodyMass)]
    for sample in mine { try await store.save(sample, as: program) }
    try await store.save(series([5]), as: SourceRevision(identifier: "other", name: "Other"))
    _ = try await store.commit(try makeSession(beats: 10))
    let before = try await SampleQuery().result(for: store).value.count
    #expect(try await store.delete(.type(.quantity(.heartRate)), as: "test") == 2)
    #expect(try await store.delete(.type(.quantity(.heartRate)), as: "test") == 0)
    #expect(try await store.delete(.all, as: "sensord") == 0)
    #expect(try await SampleQuery().result(for: store).value.count == before - 2)
    let deleted = try await ChangeQuery(after: .start).result(for: store).value.deleted.map(\.id)
    #expect(Set(deleted) == Set(mine[..<2].map(\.id)))
  }

  @Test("a query of a cancelled task stops early")
  func cancelled() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save(series((0..<5000).map { $0 * 10 }), as: program)
    let statistics = try StatisticsCollectionQuery(
      .heartRate, buckets: .single, policy: .holdLast(maximumGapMicroseconds: 1))
    let task = Task { () async -> [StoreError.Code?] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      func code(_ body: () async throws(StoreError) -> Void) async -> StoreError.Code? {
        do throws(StoreError) { try await body() } catch { return error.code }
        return nil
      }
      return [
        await code { () async throws(StoreError) in _ = try await QuantityQuery(.heartRate).result(for: store) },
        await code { () async throws(StoreError) in _ = try await statistics.result(for: store) },
        await code { () async throws(StoreError) in _ = try await SampleQuery().result(for: store) },
        await code { () async throws(StoreError) in _ = try await store.check() },
      ]
    }
    #expect(await task.value == [.cancelled, .cancelled, .cancelled, .cancelled])
    #expect(try await SampleQuery().result(for: store).value.count == 1)
  }
}
