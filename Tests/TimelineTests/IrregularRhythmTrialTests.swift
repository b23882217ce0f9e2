import Foundation
import HealthModel
import TestSupport
import Testing
import Timeline

/// The trial of `Fidelity/irregular` in short: real hearts through the whole timeline, flags included.
@Suite("Irregular rhythms in recordings", .enabled(if: RhythmRecords.folder != nil, "SENSORD_TEST_DATA is not set"))
struct IrregularRhythmTrialTests {
  private func events(_ intervals: [Double]) -> [HeartEvent] {
    var script = Script()
    let ticks = RhythmRecords.ticks(intervals)
    var (time, sent, pending) = (0.0, 1.0, [UInt16]())
    // As straps do, the mean of some intervals: another rate would contradict them.
    var recent: [Double] = []
    for interval in ticks {
      time += Double(interval) / 1024
      while time > sent {
        let rate = recent.isEmpty ? 70 : 60 * 1024 * Double(recent.count) / recent.reduce(0, +)
        if !pending.isEmpty { script.notify(pending, at: sent + 0.05, rate: UInt16(rate.rounded())) }
        pending = []
        sent += 1
      }
      pending.append(interval)
      recent = (recent + [Double(interval)]).suffix(6)
    }
    let timeline = SessionTimeline(script.events)
    return HeartEventRules(low: nil, irregular: true).events(rates: timeline.rates, heartbeats: timeline.heartbeats)
  }

  @Test(
    "the long fibrillation of one record is told once, the short ones of the others not",
    arguments: Trials.some(2, of: [("04746", 1), ("04015", 0), ("00735", 0), ("04048", 0)]))
  func records(name: String, alarms: Int) throws {
    #expect(events(try RhythmRecords.whole(name)).count == alarms)
  }

  @Test(
    "of fibrillation between normal beats 25 minutes are not told, 32.5 are",
    arguments: Trials.some(2, of: 1...4 as ClosedRange<UInt64>))
  func spliced(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let normal = try RhythmRecords.whole(seed % 2 == 0 ? "nsr004" : "nsr009")
    let episode = try RhythmRecords.fibrillation()
    for (minutes, alarms) in [(25.0, 0), (32.5, 1)] {
      let parts = [
        RhythmRecords.excerpt(normal, minutes: 20, using: &random),
        RhythmRecords.excerpt(episode, minutes: minutes, using: &random),
        RhythmRecords.excerpt(normal, minutes: 20, using: &random),
      ]
      #expect(events(parts.flatMap { $0 }).count == alarms, "seed \(seed), \(minutes) min")
    }
  }

  @Test(
    "atrial early beats beside a deep breath are not told", arguments: Trials.some(1, of: 1...4 as ClosedRange<UInt64>))
  func earlyBeats(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let part = RhythmRecords.excerpt(
      try RhythmRecords.whole("nsr009"), minutes: Trials.factor == 1 ? 240 : 480, using: &random)
    #expect(events(RhythmRecords.Disturbance.atrial.disturbed(part, using: &random)).isEmpty)
  }

  @Test("no normal heart is told, however it is disturbed", arguments: RhythmRecords.Disturbance.allCases)
  func normals(_ disturbance: RhythmRecords.Disturbance) throws {
    var random = SeededGenerator(seed: 11)
    // In the tests each disturbance has one of the two hearts.
    let hearts = ["nsr004", "nsr009"]
    let own = (RhythmRecords.Disturbance.allCases.firstIndex(of: disturbance) ?? 0) % hearts.count
    for name in Trials.factor == 1 ? [hearts[own]] : hearts {
      let part = RhythmRecords.excerpt(
        try RhythmRecords.whole(name), minutes: Trials.factor == 1 ? 60 : 180, using: &random)
      #expect(events(disturbance.disturbed(part, using: &random)).isEmpty, "\(name)")
    }
  }
}
