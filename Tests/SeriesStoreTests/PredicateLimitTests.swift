import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("Large predicates")
struct PredicateLimitTests {
  let folder = TemporaryFolder()

  private func store() async throws -> HealthStore {
    let store = try HealthStore.open(folder.store, for: .writing)
    for second in 0..<3 as Range<Int64> {
      let time = Timestamp(microseconds: second * 1_000_000)
      var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
      try builder.insert(60, from: time, to: time)
      try await store.save(
        [try builder.finish(metadata: ["place": .integer(second)])],
        as: SourceRevision(identifier: "test", name: "Test"))
    }
    return store
  }

  private func answers(_ predicate: SamplePredicate, _ store: HealthStore) async throws -> Int {
    let count = try await SampleQuery(predicate).result(for: store).value.count
    #expect(try await ChangeQuery(after: .start, predicate: predicate).result(for: store).value.added.count == count)
    #expect(try await QuantityQuery(.heartRate, predicate: predicate).result(for: store).value.count == count)
    let statistics = try StatisticsCollectionQuery(.heartRate, buckets: .single, predicate: predicate)
    #expect(try await statistics.result(for: store).value.first?.count ?? 0 == count)
    return count
  }

  @Test("a thousand parts side by side", arguments: [1, 32, 33, 1025])
  func wide(count: Int) async throws {
    let store = try await store()
    let parts = (0..<count).map { SamplePredicate.metadata("place", .equal, .integer(Int64($0))) }
    #expect(try await answers(.or(parts), store) == min(count, 3))
    #expect(try await answers(.and(parts.map { .not($0) }), store) == 3 - min(count, 3))
    #expect(try await answers(.not(.or(parts)), store) == 3 - min(count, 3))
  }

  @Test("more identifiers than SQLite accepts values")
  func identifiers() async throws {
    let store = try await store()
    let all = Set(try await SampleQuery().result(for: store).value.map(\.id))
    #expect(try await answers(.identifier(all.union((0..<40_000).map { _ in UUID() })), store) == 3)
    #expect(try await answers(.identifier(all), store) == 3)
    #expect(try await answers(.identifier([]), store) == 0)
    #expect(try await answers(.not(.identifier(Set((0..<10).map { _ in UUID() }))), store) == 3)
  }

  @Test("thirty thousand parts")
  func widest() async throws {
    let store = try await store()
    let parts = (0..<30_000).map { SamplePredicate.count(.equal, $0) }
    #expect(try await SampleQuery(.or(parts)).result(for: store).value.count == 3)
  }

  @Test("nested negations", arguments: [60, 61, 1000])
  func denials(count: Int) async throws {
    let store = try await store()
    var predicate = SamplePredicate.metadata("place", .equal, 1)
    for _ in 0..<count { predicate = .not(predicate) }
    #expect(try await answers(predicate, store) == (count % 2 == 0 ? 1 : 2))
  }

  private func alternating(_ depth: Int) -> SamplePredicate {
    var predicate = SamplePredicate.metadata("place", .equal, .quantity(Quantity(1, .meter)))
    for level in 0..<depth {
      let other = SamplePredicate.metadata("place", .less, .integer(1))
      predicate = level % 2 == 0 ? .or([predicate, other]) : .and([predicate, .not(.metadata("place", .equal, 7))])
    }
    return predicate
  }

  @Test("sixteen alternations are answered, and more are refused with their own error")
  func deep() async throws {
    let store = try await store()
    #expect(try await answers(alternating(16), store) == 1)
    for depth in [17, 60, 1000] {
      await #expect { try await SampleQuery(alternating(depth)).result(for: store) } throws: {
        ($0 as? StoreError)?.code == .tooComplex(limit: 16)
      }
    }
  }

  @Test("more values than SQLite accepts are refused with their own error")
  func tooManyValues() async throws {
    let store = try await store()
    let parts = (0..<20_000).map {
      SamplePredicate.time(
        from: Timestamp(microseconds: Int64($0)), to: Timestamp(microseconds: Int64($0) + 1))
    }
    await #expect { try await SampleQuery(.or(parts)).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .tooComplex(limit: 32_000)
    }
  }
}
