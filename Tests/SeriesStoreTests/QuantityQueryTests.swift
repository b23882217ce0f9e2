import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("QuantityQuery")
struct QuantityQueryTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  private func series(_ quantities: [(Int64, Double)]) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: at(quantities[0].0), order: .recorded)
    for (second, value) in quantities { try builder.insert(value, from: at(second), to: at(second)) }
    return try builder.finish()
  }

  @Test("series A {64 at 2, 65 at 6} and B {67 at 4, 63 at 8} enumerate 64, 67, 65, 63")
  func golden() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let samples = [try series([(2, 64), (6, 65)]), try series([(4, 67), (8, 63)])]
    try await store.save(samples, as: program)
    let merged = try await QuantityQuery(.heartRate).result(for: store).value
    #expect(merged.map(\.value) == [64, 67, 65, 63])
    #expect(merged.map(\.sample) == [0, 1, 0, 1].map { samples[$0].id })
    #expect(merged.map { $0.span.start } == [2, 4, 6, 8].map(at))
    let grouped = try await QuantityQuery(.heartRate, isGroupedBySample: true).result(for: store).value
    #expect(grouped.map(\.value) == [64, 65, 67, 63])
    let part = try await QuantityQuery(.heartRate, from: at(4), to: at(8)).result(for: store).value
    #expect(part.map(\.value) == [67, 65])
  }

  @Test("random overlapping series enumerate as their sorted whole", arguments: 0..<20)
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try HealthStore.open(folder.store, for: .writing)
    var all: [(start: Int64, sample: Int, value: Double)] = []
    for sample in 0..<Int.random(in: 1...8, using: &random) {
      let starts = (0..<Int.random(in: 1...300, using: &random))
        .map { _ in Int64.random(in: 0...9000, using: &random) }.sorted()
      let quantities = starts.map { ($0, Double(Int.random(in: 40...200, using: &random))) }
      try await store.save([try series(quantities)], as: program)
      all += quantities.map { ($0.0, sample, $0.1) }
    }
    // Sorting is stable: equal starts stay in the order of saving.
    let expected = all.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element.value)
    let found = try await QuantityQuery(.heartRate).result(for: store).value
    #expect(found.quantities.values == expected)
  }
}
