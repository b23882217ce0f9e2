import HealthModel
import TestSupport
import Testing
import Timeline

/// Intervals for which there was no time: a value that is not an interval, a notification delivered twice, junk.
@Suite("Surplus intervals")
struct SurplusIntervalTests {
  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  private func surplus(_ timeline: SessionTimeline) -> [Int] {
    let flags = timeline.beats.flags
    return flags.indices.filter { flags[$0].contains(.surplus) }
  }

  private static func strap(seed: UInt64) -> KnownStrap {
    KnownStrap(restingIntervals(1200, mean: 880, seed: seed), from: 5, seed: seed)
  }

  /// Nothing lies long before the first notification, which came at 6 s at the earliest.
  private func expectNothingBefore(_ timeline: SessionTimeline, _ strap: KnownStrap, _ seed: UInt64) {
    let first = strap.packets[0].arrival
    #expect(Double(timeline.beats.wallMicroseconds[0] - Script.offset) / 1e6 > first - 4, "seed \(seed)")
    #expect(Double(timeline.startMicroseconds - Script.offset) / 1e6 > first - 4, "seed \(seed)")
  }

  @Test("an interval of 65,535 ticks in a notification of its own takes no time", arguments: 0..<4 as Range<UInt64>)
  func absurdAlone(seed: UInt64) {
    let strap = Self.strap(seed: seed)
    let place = [20, 100, 900, 500][Int(seed)]
    var script = Script()
    for (index, packet) in strap.packets.enumerated() {
      script.notify(strap.payload(packet), at: packet.arrival)
      if index == place { script.notify([65_535], at: packet.arrival + 0.3) }
    }
    let timeline = timeline(script)
    expectNothingBefore(timeline, strap, seed)
    let beat = strap.packets[place].beats.upperBound
    #expect(surplus(timeline) == [beat], "seed \(seed)")
    #expect(timeline.gaps.first?.cause == "surplus", "seed \(seed)")
    #expect(timeline.beatsAfterGaps.first == beat, "seed \(seed)")
    #expect(timeline.gaps.allSatisfy { $0.cause == "surplus" }, "seed \(seed)")
    let times = KnownStrap.times(in: self.timeline(strap.script()))
    #expect(KnownStrap.greatestShift(KnownStrap.times(in: timeline), times) < 0.15, "seed \(seed)")
  }

  @Test("an interval of 65,535 ticks among others of its notification takes no time", arguments: 0..<4 as Range<UInt64>)
  func absurdAmongOthers(seed: UInt64) {
    let strap = Self.strap(seed: seed)
    let place = [20, 100, 900, 500][Int(seed)]
    var script = Script()
    for (index, packet) in strap.packets.enumerated() {
      script.notify(strap.payload(packet) + (index == place ? [65_535] : []), at: packet.arrival)
    }
    let timeline = timeline(script)
    expectNothingBefore(timeline, strap, seed)
    #expect(surplus(timeline) == [strap.packets[place].beats.upperBound], "seed \(seed)")
    #expect(timeline.gaps.first?.cause == "surplus", "seed \(seed)")
    let times = KnownStrap.times(in: self.timeline(strap.script()))
    #expect(KnownStrap.greatestShift(KnownStrap.times(in: timeline), times) < 0.15, "seed \(seed)")
  }

  @Test("where each notification is delivered twice, the second copies are left out", arguments: 0..<3 as Range<UInt64>)
  func everyPacketTwice(seed: UInt64) throws {
    let strap = Self.strap(seed: seed)
    var script = Script()
    for packet in strap.packets {
      script.notify(strap.payload(packet), at: packet.arrival)
      script.notify(strap.payload(packet), at: packet.arrival + 0.001)
    }
    let timeline = timeline(script)
    #expect(timeline.startMicroseconds >= Script.offset - 4_000_000, "seed \(seed)")
    #expect(timeline.quality.leftOutIntervals == Int64(strap.rrTicks.count), "seed \(seed)")
    let coverage = try #require(timeline.coverage)
    #expect(coverage.floor <= 1 && coverage.ceiling <= 1)
    #expect(strap.errors(in: timeline).allSatisfy { abs($0) < 1.5 }, "seed \(seed)")
    #expect(strap.shareInside(timeline, latency: 0) >= 0.95, "seed \(seed)")
  }

  @Test(
    "the few beats before an interval that is none lie within what is stated of them",
    arguments: 0..<4 as Range<UInt64>)
  func absurdAtOnce(seed: UInt64) {
    let strap = Self.strap(seed: seed)
    var script = Script()
    for (index, packet) in strap.packets.enumerated() {
      script.notify(strap.payload(packet), at: packet.arrival)
      if index == 1 { script.notify([65_535], at: packet.arrival + 0.3) }
    }
    let timeline = timeline(script)
    expectNothingBefore(timeline, strap, seed)
    #expect(surplus(timeline) == [strap.packets[1].beats.upperBound], "seed \(seed)")
    #expect(strap.shareInside(timeline, latency: KnownStrap.leastLatency) >= 0.95, "seed \(seed)")
  }

  @Test("one notification of nine intervals that is delivered twice is surplus once", arguments: 0..<3 as Range<UInt64>)
  func ninePlusNine(seed: UInt64) throws {
    var strap = Self.strap(seed: seed)
    // What was sent over some seconds comes as one notification of nine.
    let first = try #require(strap.packets.firstIndex { $0.beats.lowerBound >= 400 })
    let begin = strap.packets[first].beats.lowerBound
    let last = try #require(strap.packets.firstIndex { $0.beats.upperBound >= begin + 9 })
    let end = strap.packets[last].beats.upperBound
    let arrival = strap.packets[last].arrival
    var merged = [KnownStrap.Packet(arrival: arrival, beats: begin..<(begin + 9))]
    if end > begin + 9 { merged.append(KnownStrap.Packet(arrival: arrival + 0.2, beats: (begin + 9)..<end)) }
    strap.packets.replaceSubrange(first...last, with: merged)
    var script = Script()
    for packet in strap.packets {
      script.notify(strap.payload(packet), at: packet.arrival)
      if packet.beats.count == 9 { script.notify(strap.payload(packet), at: packet.arrival + 0.001) }
    }
    let timeline = timeline(script)
    #expect(surplus(timeline) == Array((begin + 9)..<(begin + 18)), "seed \(seed)")
    #expect(timeline.gaps.map(\.cause) == ["surplus", "surplus"], "seed \(seed)")
    let times = KnownStrap.times(in: self.timeline(strap.script()))
    #expect(KnownStrap.greatestShift(KnownStrap.times(in: timeline), times) < 0.15, "seed \(seed)")
  }

  @Test("one interval that is delivered twice among many is surplus once", arguments: 0..<4 as Range<UInt64>)
  func onePlusOne(seed: UInt64) throws {
    let strap = Self.strap(seed: seed)
    let place = try #require(strap.packets.firstIndex { $0.beats.count == 1 && $0.beats.lowerBound >= 500 })
    var script = Script()
    for (index, packet) in strap.packets.enumerated() {
      script.notify(strap.payload(packet), at: packet.arrival)
      if index == place { script.notify(strap.payload(packet), at: packet.arrival + 0.001) }
    }
    let timeline = timeline(script)
    #expect(surplus(timeline) == [strap.packets[place].beats.upperBound], "seed \(seed)")
    #expect(timeline.gaps.map(\.cause) == ["surplus", "surplus"], "seed \(seed)")
    let times = KnownStrap.times(in: self.timeline(strap.script()))
    #expect(KnownStrap.greatestShift(KnownStrap.times(in: timeline), times) < 0.15, "seed \(seed)")
  }

  @Test("equal notifications that come together are both real where time has passed for both", arguments: 0...2)
  func realTwins(depth: Int) {
    for seed in 0..<2 as Range<UInt64> {
      var intervals = restingIntervals(1200, mean: 880, seed: seed)
      for index in stride(from: 100, to: 1100, by: 50) { intervals[index + 1] = intervals[index] }
      var strap = KnownStrap(intervals, depth: depth, from: 5, seed: seed)
      var twins = 0
      for index in strap.packets.indices.dropFirst()
      where strap.payload(strap.packets[index]) == strap.payload(strap.packets[index - 1]) {
        strap.packets[index - 1].arrival = strap.packets[index].arrival
        twins += 1
      }
      #expect(twins >= 5, "seed \(seed)")
      let timeline = timeline(strap.script())
      #expect(surplus(timeline).isEmpty, "depth \(depth), seed \(seed)")
      #expect(timeline.gaps.isEmpty, "depth \(depth), seed \(seed)")
    }
  }

  @Test("junk of 7 or 8 intervals three times a second lies where the link was", arguments: 0..<4 as Range<UInt64>)
  func junk(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    for index in 1...570 {
      let count = Int.random(in: 7...8, using: &generator)
      let intervals = (0..<count).map { _ in UInt16.random(in: 300...1500, using: &generator) }
      script.notify(intervals, at: Double(index) / 3)
    }
    let timeline = timeline(script)
    #expect(timeline.startMicroseconds >= Script.offset - 12_000_000, "seed \(seed)")
    #expect(timeline.beats.wallMicroseconds[0] >= Script.offset - 12_000_000, "seed \(seed)")
    #expect(surplus(timeline).count > timeline.beats.count / 2, "seed \(seed)")
  }
}
