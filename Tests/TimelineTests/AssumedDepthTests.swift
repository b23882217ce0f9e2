import HealthModel
import Testing
import Timeline

@Suite("Release depth of short sessions")
struct AssumedDepthTests {
  @Test(
    "three minutes tell no depth: it is that of the model, none of a model that is not known",
    arguments: [("H10", 2.0), ("TICKR", 0), (nil, 0)] as [(String?, Double)])
  func modelsDepth(model: String?, depth: Double) {
    for seed in 0..<4 as Range<UInt64> {
      let strap = KnownStrap(restingIntervals(200, mean: 920, seed: seed), depth: Int(depth), seed: seed)
      let quality = SessionTimeline(strap.script(model: model).events).quality
      #expect(quality.releaseDepthBeats == depth, "seed \(seed)")
      #expect(quality.releaseDepthErrorBeats == nil, "seed \(seed)")
    }
  }
}
