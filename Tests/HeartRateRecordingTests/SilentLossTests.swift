import HealthModel
import HeartRateRecording
import Sensors
import TestSupport
import Testing

/// Losses that nothing reports: where they are, and how they differ from latency.
@Suite("Silent losses")
struct SilentLossTests {
  /// The timeline of two stretches of beats with a silence between them; the second begins at `beat`.
  private func timeline(before: Int, silence: Double, after: Int, seed: UInt64) -> SessionTimeline {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    let mean = Double.random(in: 850...1100, using: &generator)
    let end = script.beatBySecond(restingIntervals(before, mean: mean, seed: seed), from: 10, using: &generator)
    script.beatBySecond(
      restingIntervals(after, mean: mean, seed: seed + 1000), from: end + silence, using: &generator)
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  @Test(
    "a loss lies exactly where the silence was, though beats and packets wander against each other", arguments: 0..<40)
  func placeOfTheHole(seed: UInt64) {
    for (before, silence) in [(18, 22.0), (100, 3.5), (300, 9)] {
      let timeline = timeline(before: before, silence: silence, after: 300, seed: seed)
      #expect(timeline.beatsAfterGaps == [before], "seed \(seed), \(silence) s after \(before) beats")
    }
  }

  @Test("few packets show a long silence: 20 values, 200 s of nothing, 20 values are two runs", arguments: 0..<10)
  func fewPackets(seed: UInt64) {
    #expect(timeline(before: 20, silence: 200, after: 20, seed: seed).gaps.map(\.cause) == ["step"])
    #expect(timeline(before: 20, silence: 200, after: 20, seed: seed).beatsAfterGaps == [20])
    #expect(timeline(before: 5, silence: 250, after: 3, seed: seed).beatsAfterGaps == [5])
    #expect(timeline(before: 200, silence: 15, after: 25, seed: seed).beatsAfterGaps == [200])
  }

  @Test(
    "lateness at the end of a session may be latency: few packets do not show a short silence", arguments: 0..<10)
  func fewPacketsAndLatency(seed: UInt64) {
    #expect(timeline(before: 200, silence: 8, after: 10, seed: seed).gaps.isEmpty)
  }
}
