import Foundation
import TestSupport
import Testing

/// The whole recorder with its store and journal against a plain model: acknowledged ⊆ recovered ⊆ sent.
@Suite("A recorder to which everything happens")
struct RecorderModelTests {
  @Test(
    "after any sequence of links, clocks, junk, kills, power cuts and full disks all that was acknowledged is stored",
    arguments: 1...4)
  func sequences(quarter: Int) async throws {
    var random = SystemRandomNumberGenerator()
    let given = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) }
    let count = given == nil ? 12 * Trials.factor : 1
    var figures = RecorderModel.Figures()
    for _ in 0..<count {
      let seed = given ?? random.next() >> 16
      do {
        figures += try await RecorderModel.play(seed: seed)
      } catch {
        Issue.record("SENSORD_SEED=\(seed): \(error)")
        return
      }
    }
    print(
      "model, quarter \(quarter): \(count) sequences, \(figures.lives) lives, \(figures.kills) kills, \(figures.cuts) power cuts, "
        + "\(figures.fullDisks) with a full disk; values sent \(figures.sent), recovered \(figures.recovered), "
        + "sessions \(figures.sessions); of series inserted \(figures.inserted), recovered \(figures.recoveredOfSeries); "
        + "of workouts asked \(figures.asked), recovered \(figures.recoveredOfWorkouts); nothing acknowledged is missing"
    )
  }

  @Test("without syncs this test finds losses, so it can fail")
  func syncsOff() async throws {
    var losses = 0
    for seed in UInt64(1)...20 where losses == 0 {
      do { _ = try await RecorderModel.play(seed: seed, syncsAreOff: true) } catch is RecorderModel.Broken {
        losses += 1
      }
    }
    #expect(losses > 0)
  }
}
