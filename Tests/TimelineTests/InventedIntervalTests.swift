import HealthModel
import TestSupport
import Testing
import Timeline

@Suite("Intervals computed from rates")
struct InventedIntervalTests {
  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  @Test(
    "an interval of 61440 / rate in each notification is no beat; rates and gaps are kept",
    arguments: 0..<3 as Range<UInt64>)
  func invented(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    var rate: UInt16 = 80
    var rates: [UInt16] = []
    for second in 1...600 {
      if second.isMultiple(of: 4) {
        rate = UInt16(min(max(Int(rate) + .random(in: -3...3, using: &generator), 60), 150))
      }
      if second == 300 { script.add(.disconnected(reason: "supervision timeout"), at: 300) }
      if second == 330 { script.add(.connected, at: 329.5) }
      guard !(300..<330).contains(second) else { continue }
      script.notify([61_440 / rate], at: Double(second), rate: rate)
      rates.append(rate)
    }
    let timeline = timeline(script)
    #expect(timeline.beats.isEmpty && timeline.runs.isEmpty, "seed \(seed)")
    #expect(timeline.quality.leftOutIntervals == 570 && timeline.quality.intervalHabit == .invented, "seed \(seed)")
    #expect(timeline.rates.map(\.beatsPerMinute) == rates, "seed \(seed)")
    #expect(timeline.gaps.map(\.cause) == ["link: supervision timeout"], "seed \(seed)")
  }

  @Test("nor when rates near the pace of the notifications make their sum the time that passed")
  func inventedAroundThePace() {
    var script = Script()
    for second in 1...600 { script.notify([61_440 / rate(at: second)], at: Double(second), rate: rate(at: second)) }
    #expect(timeline(script).quality.leftOutIntervals == 600)
  }

  @Test("an even heart with as many rates is not taken for invented, notified at each beat or each second")
  func evenHeartOfManyRates() {
    var beatByBeat = Script()
    var eachSecond = Script()
    var time = 1.0
    var waiting: [UInt16] = []
    var count = 0
    for second in 1...600 {
      while time <= Double(second) {
        let ticks = 61_440 / rate(at: second)
        beatByBeat.notify([ticks], at: time, rate: rate(at: second))
        waiting.append(ticks)
        count += 1
        time += Double(ticks) / 1024
      }
      eachSecond.notify(waiting, at: Double(second), rate: rate(at: second))
      waiting = []
    }
    for script in [beatByBeat, eachSecond] {
      let timeline = timeline(script)
      #expect(timeline.quality.intervalHabit == nil)
      #expect(timeline.beats.rrTicks.count == count)
    }
  }

  /// Six rates around 60, each for ten seconds; their intervals' sum is 1.8 % less than the time.
  private func rate(at second: Int) -> UInt16 { [58, 59, 61, 62, 63, 64][second / 10 % 6] }

  @Test("an even heart is not taken for invented: the sum of its intervals is the time that passed")
  func evenHeart() {
    var script = Script()
    for second in 1...600 { script.notify([1024], at: Double(second), rate: 60) }
    let timeline = timeline(script)
    #expect(timeline.quality.intervalHabit == nil)
    #expect(timeline.beats.rrTicks == [UInt16](repeating: 1024, count: 600))
  }

  @Test("an interval over missed beats makes no conflict of a mean that counts it, nor of one that does not")
  func meanOverMissedBeats() {
    for rate in [30, 60] as [UInt16] {
      var script = Script()
      let time = script.beat([UInt16](repeating: 1024, count: 50), from: 10, rate: 60)
      // Six intervals, one of seven seconds, are 30 beats per minute.
      let end = script.beat([7168, 1024, 1024, 1024, 1024, 1024], from: time, rate: rate)
      script.beat([UInt16](repeating: 1024, count: 50), from: end, rate: 60)
      let timeline = timeline(script)
      #expect(timeline.beats.flags[50].contains(.missed))
      #expect(timeline.beats.flags.allSatisfy { !$0.contains(.rateConflict) }, "rate \(rate)")
    }
  }

  @Test("a rate of 120 over intervals of a second is a conflict")
  func grossConflict() {
    var script = Script()
    script.beat([UInt16](repeating: 1024, count: 60), from: 10, rate: 120)
    let flags = timeline(script).beats.flags
    #expect(flags[10...].allSatisfy { $0.contains(.rateConflict) })
  }
}
