import HealthModel
import TestSupport
import Testing
import Timeline

/// A stated drift keeps within its stated error, even if there is little evidence for it.
@Suite("The error of the drift")
struct DriftErrorTests {
  private func expectHonest(_ script: Script, slow: Double, _ words: String) {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    guard let error = timeline.quality.driftErrorPartsPerMillion else {
      #expect(timeline.quality.driftPartsPerMillion == 0, "\(words)")
      return
    }
    #expect(abs((timeline.quality.driftPartsPerMillion ?? .nan) - slow) <= 2 * error, "\(words)")
  }

  @Test("sixty losses of the link an hour", arguments: 0..<4 as Range<UInt64>)
  func flappingLink(seed: UInt64) {
    let slow = seed.isMultiple(of: 2) ? 150.0 : -150
    var generator = SeededGenerator(seed: seed &+ 500)
    let silences = (1..<60).map { minute in
      let start = Double(minute) * 60 + Double.random(in: -10...10, using: &generator)
      return start..<(start + Double.random(in: 2...6, using: &generator))
    }
    let intervals = restingIntervals(4200, mean: 870, seed: seed)
    let strap = KnownStrap(intervals, slow: slow, whileSilent: silences, seed: seed)
    var script = Script()
    var left = silences[...]
    for packet in strap.packets {
      while let silence = left.first, silence.lowerBound < packet.arrival {
        script.add(.disconnected(reason: nil), at: silence.lowerBound)
        script.add(.connected, at: min(silence.upperBound, packet.arrival))
        left.removeFirst()
      }
      script.notify(strap.payload(packet), at: packet.arrival)
    }
    expectHonest(script, slow: slow, "seed \(seed)")
  }

  @Test("a heart that beats evenly, nearly in step with the notifications", arguments: 0..<6 as Range<UInt64>)
  func lockedRhythm(seed: UInt64) {
    for ticks in [1024, 1022, 1027] as [UInt16] {
      let slow = [-60.0, -20, 0, 30, 60, 100][Int(seed)]
      let strap = KnownStrap([UInt16](repeating: ticks, count: 1500), slow: slow, seed: seed)
      expectHonest(strap.script(), slow: slow, "\(ticks) ticks, seed \(seed)")
    }
  }
}
