import HealthModel
import TestSupport
import Testing
import Timeline

/// A strap with a look-ahead of two beats sometimes mistakes motion for a beat, and then sends beats too early.
@Suite("Early packets")
struct EarlyPacketTests {
  private func timeline(_ strap: KnownStrap, model: String? = "H10") -> SessionTimeline {
    let timeline = SessionTimeline(strap.script(model: model).events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  /// Half a percent of the notifications of a session.
  private static func early(of count: Int, seed: UInt64) -> Set<Int> {
    var generator = SeededGenerator(seed: seed &+ 77)
    return Set((30..<count).filter { _ in Double.random(in: 0..<1, using: &generator) < 0.005 })
  }

  @Test("one early packet in two hundred makes no gap, and moves no beat by 50 ms", arguments: 0..<4 as Range<UInt64>)
  func someEarly(seed: UInt64) {
    let intervals = exerciseIntervals(3000, seed: seed)
    let slow = [-40.0, 0, 25, 60][Int(seed)]
    let early = Self.early(of: 2100, seed: seed)
    let strap = KnownStrap(intervals, depth: 2, slow: slow, early: early, seed: seed)
    let timeline = timeline(strap)
    #expect(timeline.gaps.isEmpty, "seed \(seed)")
    #expect(timeline.runs.count == 1, "seed \(seed)")
    #expect(timeline.quality.releaseDepthBeats == 2, "seed \(seed)")
    #expect(timeline.quality.earlyPackets ?? 0 >= early.count / 2, "seed \(seed)")
    let spread = KnownStrap.spread(strap.errors(in: timeline))
    #expect(spread < 0.05, "seed \(seed)")
    if let error = timeline.quality.driftErrorPartsPerMillion {
      #expect(abs((timeline.quality.driftPartsPerMillion ?? .nan) - slow) <= 2 * error, "seed \(seed)")
    }
    let without = KnownStrap(intervals, depth: 2, slow: slow, seed: seed)
    let times = KnownStrap.times(in: self.timeline(without))
    #expect(KnownStrap.greatestShift(KnownStrap.times(in: timeline), times) < 0.01, "seed \(seed)")
  }

  @Test("a single early packet in forty minutes moves no other beat by 10 ms", arguments: 1...2, 0..<2 as Range<UInt64>)
  func oneEarly(depth: Int, seed: UInt64) {
    let intervals = exerciseIntervals(3300, seed: seed &+ 20)
    let with = KnownStrap(intervals, depth: depth, early: [1000], seed: seed)
    let without = KnownStrap(intervals, depth: depth, seed: seed)
    #expect(with.packets.map(\.beats) != without.packets.map(\.beats))
    let model = depth == 2 ? "H10" : nil
    let one = timeline(with, model: model)
    let other = timeline(without, model: model)
    #expect(one.gaps.isEmpty && one.runs.count == 1, "depth \(depth), seed \(seed)")
    let shift = KnownStrap.greatestShift(KnownStrap.times(in: one), KnownStrap.times(in: other))
    #expect(shift < 0.01, "depth \(depth), seed \(seed)")
    #expect(KnownStrap.spread(with.errors(in: one)) < 0.1, "depth \(depth), seed \(seed)")
  }

  /// A session of a strap with a look-ahead of two beats: beats are lost silently, and five minutes later the electrodes slip. The strap
  /// hands its last two beats on at once, and its next interval spans the seven seconds.
  private static func slipping(afterLoss lost: Bool, seed: UInt64) -> (script: Script, truth: [Double], early: Int) {
    var generator = SeededGenerator(seed: seed)
    var ticks: [Int64] = [10 * 1024]
    for interval in restingIntervals(1000, seed: seed) { ticks.append(ticks[ticks.count - 1] + Int64(interval)) }
    var beats = Array(ticks.indices.dropFirst())
    if lost { beats.removeAll { (300..<306).contains($0) } }
    beats.removeAll { (600..<608).contains($0) }
    let released = beats.indices.map { place -> Double in
      let beat = [598, 599].contains(beats[place]) ? 599 : place + 2 < beats.count ? beats[place + 2] : nil
      return beat.map { Double(ticks[$0]) / 1024 + 0.26 } ?? .infinity
    }
    var script = Script()
    script.add(.information(.modelNumber, "H10"), at: 1)
    var next = 0
    var early = 0
    for second in 12...900 {
      let first = next
      while next < beats.count, released[next] <= Double(second) { next += 1 }
      let intervals = beats[first..<next].map { beat in
        // A silent loss ends with a whole interval, a slip with one over it.
        UInt16(ticks[beat] - ticks[beat == 608 ? 599 : beat - 1])
      }
      if beats[first..<next].contains(599) { early = second }
      script.notify(intervals, at: Double(second) + .random(in: 0.02...0.06, using: &generator))
    }
    return (script, beats.map { Double(ticks[$0]) / 1024 }, early)
  }

  @Test(
    "a packet seconds early decides nothing, also within ten minutes of a silent loss", arguments: [false, true],
    0..<4 as Range<UInt64>)
  func slip(afterLoss lost: Bool, seed: UInt64) {
    let (script, truth, early) = Self.slipping(afterLoss: lost, seed: seed)
    #expect(early > 0)
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    #expect(timeline.runs.count == (lost ? 2 : 1), "seed \(seed)")
    let causes = timeline.gaps.map(\.cause)
    #expect(causes.filter { $0 == "missedOrPause" }.count == 1, "seed \(seed): \(causes)")
    #expect(causes.count == (lost ? 2 : 1), "seed \(seed): \(causes)")
    let errors = zip(timeline.beats.wallMicroseconds, truth).map { Double($0 - Script.offset) / 1e6 - $1 }.sorted()
    #expect(errors[errors.count - 1] - errors[0] < 0.2, "seed \(seed)")
  }
}
