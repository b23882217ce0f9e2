import GATTHeartRate
import HealthModel
import TestSupport
import Testing
import Timeline

/// A small strap that misbehaves at random; whatever it does, nothing is lost, invented or out of order.
@Suite("SessionTimeline, properties")
struct TimelinePropertyTests {
  private struct Strap {
    var script = Script()
    var sent: [UInt16] = []
    var arrivals: [Double] = []
    var notifications = 0
    var junk = 0
    /// Link losses that lie between two beats that arrived.
    var losses: Set<Int> = []

    init(seed: UInt64, beats: Int) {
      var generator = SeededGenerator(seed: seed)
      var heart = 10.0
      var arrival = 10.0
      var waiting: [UInt16] = []
      let latency = Double.random(in: 0.02...2, using: &generator)
      for interval in restingIntervals(beats, mean: Double.random(in: 350...1200, using: &generator), seed: seed) {
        heart += Double(interval) / 1024
        waiting.append(
          Int.random(in: 0..<300, using: &generator) == 0 ? .random(in: 0...65535, using: &generator) : interval)
        guard Bool.random(using: &generator) || waiting.count >= 9 else { continue }
        arrival = max(arrival, heart + Double.random(in: 0...latency, using: &generator))
        script.notify(waiting, at: arrival)
        notifications += 1
        sent += waiting
        arrivals += waiting.map { _ in arrival }
        waiting = []
        switch Int.random(in: 0..<120, using: &generator) {
        case 0:
          script.add(.disconnected(reason: nil), at: arrival)
          heart += Double.random(in: 0...30, using: &generator)
          arrival = max(arrival, heart)
          script.add(.connected, at: arrival)
          losses.insert(sent.count)
        case 1:
          script.add(.measurement([0x08, 0x40]), at: arrival)
          notifications += 1
          junk += 1
        case 2: heart += Double.random(in: 0...8, using: &generator)
        case 3: script.add(.clock(wallMinusBootMicroseconds: Script.offset), at: arrival)
        default: break
        }
      }
      losses.remove(sent.count)
      losses.remove(0)
    }
  }

  @Test("nothing is lost, changed, invented or out of order, and no beat is later than its arrival", arguments: 0..<40)
  func nothingIsLost(seed: UInt64) {
    let strap = Strap(seed: seed, beats: 400)
    let timeline = SessionTimeline(strap.script.events)
    SessionTimelineTests.check(timeline)
    #expect(timeline.beats.rrTicks == strap.sent, "seed \(seed)")
    #expect(timeline.quality.notifications == Int64(strap.notifications))
    #expect(timeline.quality.payloadDefects.values.reduce(0, +) == strap.junk)
    for (time, arrival) in zip(timeline.beats.wallMicroseconds, strap.arrivals) {
      #expect(time <= Script.offset + BootInstant.seconds(arrival).microseconds, "seed \(seed)")
    }
    let gaps = Set(timeline.beatsAfterGaps.compactMap { $0 })
    #expect(strap.losses.isSubset(of: gaps), "seed \(seed)")
    #expect(SessionTimeline(strap.script.events) == timeline)
  }

  @Test("any bytes make a timeline that keeps every promise", arguments: 0..<40)
  func anyBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    var time = 0.0
    for _ in 0..<300 {
      time += Double.random(in: -0.2...2, using: &generator)
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      switch Int.random(in: 0..<30, using: &generator) {
      case 0: script.add(.disconnected(reason: nil), at: time)
      case 1: script.add(.connected, at: time)
      case 2: script.add(.boot(BootIdentifier(high: 0, low: .random(in: 0...2, using: &generator))), at: time)
      case 3:
        script.add(
          .clock(wallMinusBootMicroseconds: .random(in: -4_000_000_000...4_000_000_000, using: &generator)), at: time)
      case 4: script.add(.lost(values: 1, reason: "disk full"), at: time)
      default: script.add(.measurement(bytes), at: time)
      }
    }
    SessionTimelineTests.check(SessionTimeline(script.events))
    var machine = SessionMachine()
    for event in script.events { _ = machine.handle(event) }
    #expect(machine.counts.beats >= 0)
  }
}
