import HealthModel
import TestSupport
import Testing
import Timeline

@Suite("Release depth")
struct ReleaseDepthTests {
  private func quality(depth: Int, means: [Double], count: Int, seed: UInt64) -> QualityReport {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    let intervals = means.flatMap { restingIntervals(count, mean: $0, seed: seed) }
    script.beatBySecond(intervals, from: 10, depth: depth, using: &generator)
    return SessionTimeline(script.events).quality
  }

  @Test("a sensor with look-ahead is detected, with the standard error of its depth", arguments: 1...3)
  func depthIsFound(depth: Int) throws {
    for seed in 0..<3 as Range<UInt64> {
      // A heart that changes its rate now and then: latency follows it.
      let quality = quality(depth: depth, means: [960, 780, 900, 700, 860], count: 720, seed: seed)
      #expect(quality.releaseDepthBeats == Double(depth), "seed \(seed)")
      #expect(try #require(quality.releaseDepthErrorBeats) < 0.2)
    }
  }

  @Test("a sensor without look-ahead is not taken for one with it", arguments: 0..<40)
  func noDepth(seed: UInt64) {
    let mean = 800 + Double(seed) * 8
    let quality = quality(depth: 0, means: [mean], count: 1200, seed: seed)
    #expect(quality.releaseDepthBeats == 0, "seed \(seed)")
    #expect(quality.releaseDepthErrorBeats == nil)
  }
}
