import Foundation
import HealthModel
import TestSupport
import Testing

@testable import Timeline

@Suite("LiveQuality")
struct LiveQualityTests {
  /// What a recorder does with a session: appends each beat, and judges now and then.
  private func quality(of script: Script, judging isDue: (Int) -> Bool = { _ in false }) -> LiveQuality {
    var machine = SessionMachine()
    var quality = LiveQuality()
    for (number, event) in script.events.enumerated() {
      _ = machine.handle(event)
      for beat in machine.beats { quality.append(beat) }
      if isDue(number) { quality.judge() }
    }
    quality.judge()
    return quality
  }

  /// A resting heart with the artefacts of a bad contact: early beats, missed beats, false detections.
  private func contactIntervals(_ count: Int, using generator: inout SeededGenerator) -> [UInt16] {
    var intervals = restingIntervals(count, seed: generator.next())
    for index in stride(from: 20, to: count - 20, by: 1) where Int.random(in: 0..<40, using: &generator) == 0 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        intervals[index] -= 350
        intervals[index + 1] += 350
      case 1: intervals[index] *= 2
      case 2: intervals[index] = intervals[index] * 2 / 5
      default: intervals[index] += 500
      }
    }
    return intervals
  }

  @Test(
    "however often it is asked meanwhile, at the end it has flagged as many beats as the final pass",
    arguments: 0..<20 as Range<UInt64>)
  func equalsFinalPass(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    var time = 10.0
    for part in 0..<3 {
      let count = Int.random(in: 1...900, using: &generator)
      time = script.beat(contactIntervals(max(count, 41), using: &generator), from: time)
      guard part < 2 else { break }
      script.add(.disconnected(reason: nil), at: time + 1)
      script.add(.connected, at: time + 20)
      time += 21
    }
    let rarity = Int.random(in: 1...400, using: &generator)
    let quality = quality(of: script) { _ in Int.random(in: 0..<rarity, using: &generator) == 0 }
    let flags = SessionTimeline(script.events).beats.flags
    #expect(quality.beats == flags.count, "seed \(seed)")
    #expect(quality.flagged == flags.count(where: \.isDoubtful), "seed \(seed)")
    #expect(quality.flagged > 0, "seed \(seed): nothing to compare")
  }

  @Test("an early beat counts at once, and once")
  func earlyBeat() {
    var intervals = restingIntervals(200, seed: 8)
    intervals[150] = 560
    intervals[151] = 1240
    func flagged(after count: Int) -> Int {
      var script = Script()
      script.beat(Array(intervals[..<count]), from: 10)
      return quality(of: script).flagged
    }
    #expect(flagged(after: 150) == 0)
    #expect(flagged(after: 151) == 1)
    #expect(flagged(after: 153) == 1)
    #expect(flagged(after: 200) == 1)
  }

  @Test("the last five minutes are those up to the last beat, in the sensor's own time")
  func lastFiveMinutes() throws {
    var script = Script()
    script.beat(Array(repeating: 1024, count: 700), from: 10)
    let quality = quality(of: script) { $0 % 10 == 0 }
    let recent = try quality.recent(wallMinusBoot: Script.offset)
    #expect(recent.beats.count == 300)
    #expect(recent.bounds?.microseconds == 299_000_000)
    #expect(recent.beats.allSatisfy { $0.flags == [] })
    #expect(quality.recentCounts == (300, 0))
    let last = try #require(quality.lastBeat)
    #expect(recent.bounds?.end == Timestamp(microseconds: last.microseconds + Script.offset))
  }

  @Test("a sensor that floods takes no more memory, and each of its beats is counted")
  func flood() throws {
    var quality = LiveQuality()
    for number in 0..<20_000 {
      quality.append(
        LiveBeat(
          run: 0, indexInRun: number, rrTicks: 100, instant: BootInstant(microseconds: Int64(number) * 1000),
          precededByGap: number == 0, flags: number == 0 ? .firstOfRun : []))
    }
    quality.judge()
    #expect(quality.beats == 20_000)
    // No heart beats ten times a second.
    #expect(quality.flagged == 20_000)
    #expect(try quality.recent(wallMinusBoot: 0).beats.count == LiveQuality.greatestCount)
    #expect(quality.recentCounts == (LiveQuality.greatestCount, LiveQuality.greatestCount))
  }

  @Test("fillers are flagged, and beats whose rate contradicts them")
  func fillersAndConflicts() {
    var script = Script()
    let end = script.beat(restingIntervals(50, seed: 9), from: 10)
    let after = script.beat(Array(repeating: 512, count: 20), from: end, rate: 120)
    let calm = script.beat(restingIntervals(50, seed: 10), from: after)
    let before = quality(of: script).flagged
    #expect(17...23 ~= before)
    script.beat(restingIntervals(10, seed: 11), from: calm, rate: 200)
    #expect(quality(of: script).flagged == before + 10)
  }

  @Test("after a reboot counts continue, and the last five minutes begin again")
  func restart() throws {
    var script = Script()
    script.beat(restingIntervals(100, seed: 12), from: 1_000_000)
    var quality = quality(of: script)
    quality.restart()
    #expect(quality.firstBeat == nil)
    var next = Script()
    next.beat(restingIntervals(10, seed: 13), from: 10)
    var machine = SessionMachine()
    for event in next.events {
      _ = machine.handle(event)
      for beat in machine.beats { quality.append(beat) }
    }
    quality.judge()
    #expect(quality.beats == 110)
    #expect(try quality.recent(wallMinusBoot: 0).beats.count == 10)
  }

  @Test("a session without beats has no quality")
  func nothing() throws {
    var quality = LiveQuality()
    quality.judge()
    #expect(quality.beats == 0)
    #expect(try quality.recent(wallMinusBoot: 0) == HeartbeatSeries())
    #expect(quality.lastBeat == nil && quality.recentCounts == (0, 0))
  }
}
