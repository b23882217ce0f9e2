import HealthModel
import Testing
import Timeline

@Suite("Losses before the end")
struct ShortTailTests {
  @Test(
    "ten beats lost without a word twenty notifications before the link is lost are a gap",
    arguments: 0..<8 as Range<UInt64>)
  func shortTail(seed: UInt64) throws {
    let all = KnownStrap(restingIntervals(340, mean: 880, seed: seed), seed: seed)
    let hole = all.truth[299] + 0.05
    var strap = KnownStrap(
      restingIntervals(340, mean: 880, seed: seed), whileSilent: [hole..<(hole + 8.6)], seed: seed)
    let first = try #require(strap.packets.firstIndex { $0.arrival > hole })
    strap.packets.removeSubrange((first + 20)...)
    var script = strap.script()
    let end = try #require(strap.packets.last)
    script.add(.disconnected(reason: "supervision timeout"), at: end.arrival + 4)
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    let beat = strap.packets[first].beats.lowerBound
    #expect(timeline.gaps.map(\.cause) == ["silence"], "seed \(seed)")
    #expect(timeline.beatsAfterGaps == [beat], "seed \(seed)")
    let errors = strap.errors(in: timeline)
    let constant = errors[..<beat].sorted()[beat / 2]
    let run = try #require(timeline.runs.last)
    let bound = max(0.15, Double(run.map.uncertaintyMicroseconds) / 1e6)
    #expect(errors[beat...].allSatisfy { abs($0 - constant) <= bound }, "seed \(seed)")
  }

  @Test("an interval over missed beats is not one of those that its missed beats are counted by")
  func lostBeats() {
    for reach in [20, 100] {
      var script = Script()
      let even = [UInt16](repeating: 820, count: reach)
      script.beat(even + [8200] + even, from: 10, rate: 75)
      let timeline = SessionTimeline(script.events)
      SessionTimelineTests.check(timeline)
      #expect(timeline.gaps.map(\.cause) == ["missedOrPause"])
      #expect(timeline.gaps.map(\.estimatedLostBeats) == [9])
    }
  }
}
