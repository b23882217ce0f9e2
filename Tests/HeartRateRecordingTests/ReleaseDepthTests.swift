import HeartRateRecording
import Sensors
import Testing

@Suite("Release depth")
struct ReleaseDepthTests {
  private func quality(depth: Int, mean: Double, count: Int = 3600, seed: UInt64) -> TimelineQuality {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    script.beatBySecond(
      restingIntervals(count, mean: mean, seed: seed), from: 10, depth: depth, using: &generator)
    return SessionTimeline(events: script.events).quality
  }

  @Test("a sensor that hands beats on late is found out, with its standard error", arguments: 1...3)
  func depthIsFound(depth: Int) throws {
    for seed in 0..<3 as Range<UInt64> {
      let quality = quality(depth: depth, mean: 880, seed: seed)
      #expect(quality.releaseDepth == Double(depth), "seed \(seed)")
      #expect(try #require(quality.releaseDepthError) < 0.2)
    }
  }

  @Test("a sensor that hands beats on at once is not taken for one that does not", arguments: 0..<40)
  func noDepth(seed: UInt64) {
    let mean = 800 + Double(seed) * 8
    let quality = quality(depth: 0, mean: mean, count: 1200, seed: seed)
    #expect(quality.releaseDepth == 0, "seed \(seed)")
    #expect(quality.releaseDepthError == nil)
  }
}
