import HealthModel
import TestSupport
import Testing
import Timeline

/// Sensors whose intervals do not add up to the time that passes, and one whose half seconds are true.
@Suite("Habits of sensors")
struct IntervalHabitTests {
  /// A heart's intervals in the packets of a strap that sends each second, ten minutes long: what it sends of each packet's intervals
  /// is up to `change`.
  private func timeline(
    mean: Double = 900, seed: UInt64, change: (_ intervals: [UInt16], _ last: UInt16?) -> [[UInt16]]
  ) -> SessionTimeline {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    let intervals = restingIntervals(Int(700 * 1024 / mean), mean: mean, seed: seed)
    var time = 10.0
    var next = 0
    var last: UInt16?
    for second in 11...610 {
      let first = next
      while next < intervals.count, time + Double(intervals[next]) / 1024 <= Double(second) {
        time += Double(intervals[next]) / 1024
        next += 1
      }
      let own = Array(intervals[first..<next])
      let recent = intervals[max(0, next - 6)..<max(next, 1)]
      let rate = UInt16(61_440 * recent.count / recent.reduce(0) { $0 + Int($1) })
      for (place, packet) in change(own, last).enumerated() {
        let sent = Double(second) + 0.2 * Double(place) + .random(in: 0...0.05, using: &generator)
        script.notify(packet, at: sent, rate: rate)
      }
      last = own.last ?? last
    }
    let timeline = SessionTimeline(script.events)
    if timeline.heartbeats.timescale == 1024 { SessionTimelineTests.check(timeline) }
    return timeline
  }

  @Test("intervals of a heart have none", arguments: 0..<4 as Range<UInt64>)
  func none(seed: UInt64) {
    let timeline = timeline(mean: [420, 700, 900, 1100][Int(seed)], seed: seed) { own, _ in [own] }
    #expect(timeline.quality.intervalHabit == nil && timeline.quality.leftOutIntervals == nil)
    #expect(timeline.gaps.isEmpty)
  }

  @Test("sums that are off by 5 % and more leave rates, with their ratio", arguments: [0.8, 0.95, 1.05, 1.14, 1.4])
  func unfit(factor: Double) {
    let timeline = timeline(seed: 1) { own, _ in [own.map { UInt16((Double($0) * factor).rounded()) }] }
    #expect(timeline.quality.intervalHabit == .unfit)
    #expect(timeline.beats.isEmpty && timeline.quality.leftOutIntervals ?? 0 > 600)
    #expect(abs((timeline.quality.intervalSumRatio ?? 0) - factor) < 0.01)
    #expect(timeline.rates.count == 600)
  }

  @Test("milliseconds stay as they are, and the series says so", arguments: 0..<4 as Range<UInt64>)
  func milliseconds(seed: UInt64) {
    let asTicks = timeline(seed: seed) { own, _ in [own] }
    let timeline = timeline(seed: seed) { own, _ in [own.map { UInt16((Double($0) * 1000 / 1024).rounded()) }] }
    #expect(timeline.quality.intervalHabit == .milliseconds && timeline.quality.leftOutIntervals == nil)
    #expect(timeline.heartbeats.timescale == 1000)
    #expect(timeline.beats.rrTicks == asTicks.beats.rrTicks.map { UInt16((Double($0) * 1000 / 1024).rounded()) })
    #expect(timeline.gaps.isEmpty && timeline.runs.count == 1)
    let shift = KnownStrap.greatestShift(KnownStrap.times(in: timeline), KnownStrap.times(in: asTicks))
    #expect(shift < 0.1, "each interval is rounded by itself")
    #expect(abs((timeline.quality.driftPartsPerMillion ?? 0)) < 500)
  }

  @Test(
    "an interval that is sent again, where there was no beat or before new ones, is left out",
    arguments: [false, true],
    0..<4 as Range<UInt64>)
  func repeated(always: Bool, seed: UInt64) {
    let mean = always ? 800.0 : 1150
    let plain = timeline(mean: mean, seed: seed) { own, _ in [own] }
    var sent = 0
    let timeline = timeline(mean: mean, seed: seed) { own, last in
      guard always || own.isEmpty, let last else { return [own] }
      sent += 1
      return [[last] + own]
    }
    #expect(timeline.quality.intervalHabit == .repeated)
    let leftOut = Int(timeline.quality.leftOutIntervals ?? 0)
    #expect(abs(leftOut - sent) <= max(2, sent / 100), "\(leftOut) of \(sent) that were sent again")
    #expect(timeline.gaps.isEmpty, "\(timeline.gaps.map(\.cause))")
    let lengths = (timeline.beats.rrTicks.reduce(0) { $0 + Int($1) }, plain.beats.rrTicks.reduce(0) { $0 + Int($1) })
    #expect(abs(lengths.0 - lengths.1) < 4 * 1150)
  }

  @Test("of packets that come twice the second is left out", arguments: 0..<4 as Range<UInt64>)
  func doubled(seed: UInt64) {
    let plain = timeline(mean: 700, seed: seed) { own, _ in [own] }
    let timeline = timeline(mean: 700, seed: seed) { own, _ in [own, own] }
    #expect(timeline.quality.intervalHabit == .doubled)
    #expect(timeline.beats.rrTicks == plain.beats.rrTicks)
    #expect(timeline.gaps.isEmpty && timeline.runs.count == 1)
  }

  @Test("equal packets of a few seconds that add up to their time are beats", arguments: [0.01, 0.25, 0.4])
  func equalPackets(seconds: Double) {
    var script = Script()
    for number in 1...Int(3.5 / seconds) + 20 {
      script.notify([UInt16((seconds * 1024).rounded())], at: Double(number) * seconds, rate: 150)
    }
    let timeline = SessionTimeline(script.events)
    #expect(timeline.quality.intervalHabit == nil && timeline.quality.leftOutIntervals == nil)
  }

  @Test("junk of many intervals leaves rates")
  func junk() {
    let timeline = timeline(seed: 9) { own, _ in [own + [400, 900, 1300, 700]] }
    #expect(timeline.quality.intervalHabit == .unfit && timeline.beats.isEmpty)
  }

  @Test("two hearts in one stream leave rates")
  func twoHearts() {
    let timeline = timeline(seed: 3) { own, _ in [own, own.map { $0 / 2 + 150 } + (own.isEmpty ? [] : [300])] }
    #expect(timeline.quality.intervalHabit == .twoHearts && timeline.beats.isEmpty)
  }

  @Test("a sensor that sends the newest interval of each value only leaves rates")
  func newestOnly() {
    let timeline = timeline(mean: 500, seed: 4) { own, _ in [Array(own.suffix(1))] }
    #expect(timeline.quality.intervalHabit == .newestOnly && timeline.beats.isEmpty)
  }

  @Test("half seconds are true where the rate says so too and nothing else stands around them")
  func twiceASecond() {
    var script = Script()
    for second in 1...600 { script.notify([512, 512], at: Double(second), rate: 120) }
    let timeline = SessionTimeline(script.events)
    #expect(timeline.beats.count == 1200 && timeline.gaps.isEmpty)
    #expect(timeline.beats.flags.allSatisfy { !$0.contains(.filler) })
    var other = Script()
    for second in 1...600 { other.notify([512, 512], at: Double(second), rate: 71) }
    #expect(SessionTimeline(other.events).beats.flags.allSatisfy { $0.contains(.filler) })
  }
}
