import HealthModel
import HeartRateRecording
import Sensors
import TestSupport
import Testing

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
}
