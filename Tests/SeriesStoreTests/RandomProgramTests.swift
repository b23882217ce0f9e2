import FoundationEssentials
import SeriesStore
import TestSupport
import Testing

@Suite("Random programs against plain values")
struct RandomProgramTests {
  @Test("samples of all kinds, corrections, deletions, queries and changes agree with an array of values")
  func agreement() async throws {
    // SENSORD_SEED plays one program again; SENSORD_TRIALS=25 makes 5,000 of them.
    let seed = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) }
    let first = seed ?? .random(in: 0...1 << 40)
    let count = seed == nil ? 200 * UInt64(Trials.factor) : 1
    for seed in first..<first + count {
      let folder = TemporaryFolder(inMemory: true)
      let store = try HealthStore.open(folder.store, for: .writing)
      try FutureContent.prepare(folder.store)
      var program = RandomProgram(in: store, seed: seed)
      if let wrong = try await program.run(steps: 12) {
        Issue.record("SENSORD_SEED=\(seed), \(wrong.prefix(4000))")
        return
      }
    }
  }
}
