import HealthModel
import Testing
import Timeline

/// A strap that notifies each second over a link with two slots a second: packets that waited were sent at their turn.
@Suite("Sending grid")
struct SendingGridTests {
  private func timeline(_ strap: KnownStrap) -> SessionTimeline {
    let timeline = SessionTimeline(strap.script(model: "H10").events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  @Test("slots of half a second leave beats right to 10 ms and the clock to 6 ppm", arguments: 0..<4 as Range<UInt64>)
  func slots(seed: UInt64) {
    let slow = [-30.0, 0, 12, 25][Int(seed)]
    let strap = KnownStrap(
      exerciseIntervals(5000, seed: seed &+ 40), depth: 2, slow: slow, early: [500, 900, 1400], slot: 0.495, seed: seed)
    let timeline = timeline(strap)
    #expect(timeline.runs.count == 1, "seed \(seed)")
    #expect(KnownStrap.spread(strap.errors(in: timeline)) < 0.01, "seed \(seed)")
    #expect(abs((timeline.quality.driftPartsPerMillion ?? .nan) - slow) < 6, "seed \(seed)")
  }

  @Test("a lost notification affects the pace only nearby", arguments: 0..<3 as Range<UInt64>)
  func lostNotification(seed: UInt64) {
    var strap = KnownStrap(
      exerciseIntervals(5000, seed: seed &+ 50), depth: 2, slot: 0.495, seed: seed)
    let empty = strap.packets.indices.filter { $0 > 200 && strap.packets[$0].beats.isEmpty }
    strap.packets.remove(at: empty[empty.count / 2])
    let timeline = timeline(strap)
    #expect(timeline.gaps.isEmpty, "seed \(seed)")
    #expect(KnownStrap.spread(strap.errors(in: timeline)) < 0.015, "seed \(seed)")
  }

  @Test("a strap that sends no empty notifications has no steady pace, and its arrivals count")
  func withoutPace() {
    var strap = KnownStrap(restingIntervals(3000, mean: 1100, seed: 9), slot: 0.495, seed: 9)
    strap.packets.removeAll { $0.beats.isEmpty }
    let timeline = timeline(strap)
    #expect(timeline.gaps.isEmpty)
    #expect(KnownStrap.spread(strap.errors(in: timeline)) < 0.1)
  }
}
