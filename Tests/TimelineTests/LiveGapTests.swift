import GATTHeartRate
import HealthModel
import TestSupport
import Testing
import Timeline

@Suite("Gaps of an open session")
struct LiveGapTests {
  /// A strap without intervals, with or without contact bits, to which everything happens at random.
  private func script(seed: UInt64) -> Script {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    var time = 10.0
    var boot: UInt64 = 1
    let on: HeartRateMeasurement.Contact = Bool.random(using: &generator) ? .detected : .notSupported
    for _ in 0..<300 {
      time += [1, 1, 1, 1, 9.9, 10, 10.1, 30].randomElement(using: &generator) ?? 1
      switch Int.random(in: 0..<24, using: &generator) {
      case 0:
        script.add(.disconnected(reason: nil), at: time)
        if Bool.random(using: &generator) { script.add(.disconnected(reason: "timeout"), at: time) }
        if Bool.random(using: &generator) { script.add(.connected, at: time + 0.5) }
      case 1: script.add(.connected, at: time)
      case 2: script.add(.lost(values: 3, reason: "disk full"), at: time)
      case 3:
        if Bool.random(using: &generator) { boot += 1 }
        script.add(.boot(BootIdentifier(high: 1, low: boot)), at: time)
        script.add(.clock(wallMinusBootMicroseconds: Script.offset), at: time)
        script.add(.connected, at: time)
      case 4..<9: script.notify(at: time, rate: 0, contact: on)
      case 9..<12: script.notify(at: time, contact: .notDetected)
      case 12: script.add(.measurement([]), at: time)
      default: script.notify(at: time, contact: on)
      }
    }
    return script
  }

  @Test("for a sensor without intervals, their number is at any time the one that would be stored", arguments: 0..<40)
  func sameAsStored(seed: UInt64) {
    let script = script(seed: seed)
    var machine = SessionMachine(limits: SessionLimits(awayMicroseconds: .max / 4, offSkinMicroseconds: .max / 4))
    _ = machine.begin(at: .seconds(0))
    var generator = SeededGenerator(seed: seed)
    for (index, event) in script.events.enumerated() {
      _ = machine.handle(event)
      guard Int.random(in: 0..<20, using: &generator) == 0 || index == script.events.count - 1 else { continue }
      let stored = SessionTimeline(Array(script.events[...index]))
      #expect(machine.counts.gaps == stored.gaps.count, "seed \(seed), event \(index)")
    }
    #expect(machine.counts.gaps > 10)
  }

  @Test("in a session with beats: gaps of rates before the first beat and after the last, gaps of beats in between")
  func besideBeats() {
    var script = Script()
    func lose(at time: Double) {
      script.add(.disconnected(reason: "timeout"), at: time)
      script.add(.connected, at: time + 3)
    }
    var expected: [Int] = []
    var counts: [Int] = []
    func compare(_ gaps: Int) {
      var machine = SessionMachine()
      for event in script.events { _ = machine.handle(event) }
      expected += [gaps, SessionTimeline(script.events).gaps.count]
      counts += [machine.counts.gaps, machine.counts.gaps]
    }
    script.notify(at: 10)
    lose(at: 11)
    script.notify(at: 15)
    compare(1)
    lose(at: 16)
    var time = script.beat(restingIntervals(60, seed: 1), from: 20)
    compare(2)
    lose(at: time + 1)
    script.notify(at: time + 5)
    compare(3)
    lose(at: time + 6)
    script.notify(at: time + 10)
    compare(4)
    time = script.beat(restingIntervals(60, seed: 2), from: time + 12)
    compare(3)
    #expect(counts == expected)
  }

  @Test("another session begins without any")
  func another() {
    var script = Script()
    script.notify(at: 10)
    script.add(.disconnected(reason: nil), at: 11)
    script.notify(at: 12)
    var machine = SessionMachine()
    for event in script.events { _ = machine.handle(event) }
    #expect(machine.counts.gaps == 1)
    _ = machine.end(.request, at: .seconds(13))
    _ = machine.handle(SensorEvent(.measurement([0, 60]), at: .seconds(100)))
    #expect(machine.counts.notifications == 1 && machine.counts.gaps == 0)
  }
}
