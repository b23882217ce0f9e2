import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// Real stores against plain rows: 10,000 random questions to 20 stores that change between them.
@Suite("A store against plain rows")
struct PlainRowsTests {
  let folder = TemporaryFolder()

  /// SENSORD_SEED plays one store again.
  private static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) }.map { [$0] }
    ?? (0..<20).map { .random(in: 0...1 << 40) + $0 }

  @Test(
    "statistics and quantities agree after saves, replaced values, later versions, refusals and deletions",
    arguments: seeds)
  func agreement(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try HealthStore.open(folder.store, for: .writing)
    var world = try await PlainWorld(in: store, &random)
    for step in 0..<10 {
      if step > 0 { for _ in 0..<2 { try await world.change(&random) } }
      for number in 0..<50 {
        let difference =
          number % 10 == 0 ? try await world.wrongQuantities(&random) : try await world.wrongStatistics(&random)
        if let difference {
          Issue.record("SENSORD_SEED=\(seed), step \(step), question \(number): \(difference.prefix(3000))")
          return
        }
      }
    }
    let damages = try await store.check()
    #expect(damages.isEmpty, "SENSORD_SEED=\(seed): \(damages)")
  }
}
