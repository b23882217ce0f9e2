import HealthModel
import TestSupport
import Testing
import Timeline

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
    #expect(timeline(before: 20, silence: 200, after: 20, seed: seed).gaps.map(\.cause) == ["silence"])
    #expect(timeline(before: 20, silence: 200, after: 20, seed: seed).beatsAfterGaps == [20])
    #expect(timeline(before: 5, silence: 250, after: 3, seed: seed).beatsAfterGaps == [5])
    #expect(timeline(before: 200, silence: 15, after: 25, seed: seed).beatsAfterGaps == [200])
  }

  @Test(
    "lateness at the end of a session may be latency: few packets do not show a short silence", arguments: 0..<10)
  func fewPacketsAndLatency(seed: UInt64) {
    #expect(timeline(before: 200, silence: 3, after: 10, seed: seed).gaps.isEmpty)
  }

  @Test("of electrodes that come and go each silence is a gap, and each beat is where it was", arguments: 0..<10)
  func bursts(seed: UInt64) {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    let intervals = restingIntervals(600, seed: seed)
    var truth: [Double] = []
    var afterGaps: [Int] = []
    var time = 10.0
    while truth.count + 20 < intervals.count {
      let burst = Array(intervals[truth.count..<(truth.count + .random(in: 12...18, using: &generator))])
      let end = script.beatBySecond(burst, from: time, using: &generator)
      var beat = time
      for interval in burst {
        beat += Double(interval) / 1024
        truth.append(beat)
      }
      afterGaps.append(truth.count)
      time = end + .random(in: 12...50, using: &generator)
    }
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    #expect(timeline.beatsAfterGaps == Array(afterGaps.dropLast()), "seed \(seed)")
    #expect(timeline.gaps.allSatisfy { $0.cause == "silence" }, "seed \(seed)")
    let errors = zip(timeline.beats.wallMicroseconds, truth).map { Double($0 - Script.offset) / 1e6 - $1 }.sorted()
    #expect(errors[errors.count * 99 / 100] - errors[errors.count / 100] < 0.4, "seed \(seed)")
  }

  @Test("a silence is none where a later interval, or intervals that were kept, account for it", arguments: 0..<10)
  func accountedSilence(seed: UInt64) {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    let before = restingIntervals(200, seed: seed)
    let end = script.beatBySecond(before, from: 10, using: &generator)
    // A strap with look-ahead: a beat from before comes first, then the interval over the silence.
    script.notify([900], at: end + 9, rate: 70)
    script.notify([7300], at: end + 10, rate: 40)
    script.notify([880, 910], at: end + 11, rate: 40)
    let later = script.beatBySecond(restingIntervals(100, seed: seed + 1), from: end + 10, using: &generator)
    // A link that was held up: everything comes, nine at a time.
    let kept = restingIntervals(18, seed: seed + 2)
    let length = Double(kept.reduce(0) { $0 + Int($1) }) / 1024
    script.notify(Array(kept[..<9]), at: later + length + 0.2)
    script.notify(Array(kept[9...]), at: later + length + 0.4)
    script.beatBySecond(restingIntervals(200, seed: seed + 3), from: later + length, using: &generator)
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    #expect(timeline.gaps.map(\.cause) == ["missedOrPause"], "seed \(seed)")
    #expect(timeline.runs.count == 1, "seed \(seed)")
  }
}
