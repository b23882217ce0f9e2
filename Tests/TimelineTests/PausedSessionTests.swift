import HealthModel
import Testing
import Timeline

@Suite("A session that a program's session has paused")
struct PausedSessionTests {
  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  /// A rate of 60 each second.
  private func notify(_ seconds: ClosedRange<Int>, _ script: inout Script) {
    for second in seconds { script.notify(at: Double(second), rate: 60) }
  }

  @Test("the pause is a gap without lost beats, and no part of the time that the values cover")
  func rates() {
    var script = Script()
    notify(10...40, &script)
    script.add(.paused, at: 40.5)
    script.add(.disconnected(reason: "timeout"), at: 60)
    script.add(.connected, at: 70)
    script.add(.continued, at: 100.5)
    notify(101...130, &script)
    let timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["clientSession"])
    #expect(timeline.gaps.map(\.estimatedLostBeats) == [nil])
    // Half a second before it is covered, half a second after it is not.
    #expect(abs((timeline.coverage?.floor ?? 0) - 59.5 / 60) < 1e-9)
  }

  @Test("of beats, too")
  func beats() throws {
    var script = Script()
    let end = script.beat(restingIntervals(300, seed: 20), from: 10)
    script.add(.paused, at: end + 0.2)
    script.add(.continued, at: end + 1200)
    script.beat(restingIntervals(300, seed: 21), from: end + 1200.2)
    let timeline = timeline(script)
    #expect(timeline.beats.count == 600)
    #expect(timeline.gaps.map(\.cause) == ["clientSession"] && timeline.gaps.map(\.estimatedLostBeats) == [nil])
    let coverage = try #require(timeline.coverage)
    #expect(coverage.floor > 0.98)
  }

  @Test("a gap that has another reason and goes on in the pause has the lost beats of its own time")
  func lostBefore() {
    var script = Script()
    notify(10...40, &script)
    script.add(.disconnected(reason: "timeout"), at: 41)
    script.add(.connected, at: 45)
    script.add(.paused, at: 46)
    script.add(.continued, at: 106)
    notify(107...127, &script)
    let timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["link: timeout"])
    #expect(timeline.gaps.map(\.estimatedLostBeats) == [7])
  }

  @Test("a value ends a pause, also where the record of its end is damaged")
  func damaged() {
    var script = Script()
    notify(10...40, &script)
    script.add(.paused, at: 40.5)
    var machine = SessionMachine()
    for event in script.events { _ = machine.handle(event) }
    #expect(machine.deadline == nil)
    notify(101...130, &script)
    for event in script.events.suffix(30) { _ = machine.handle(event) }
    #expect(machine.deadline != nil)
    let timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["clientSession"] && timeline.coverage?.floor == 1)
    #expect(timeline.end.microseconds - Script.offset == 130_000_000)
  }

  @Test("a session that ends while it is paused ends where the pause began")
  func endsPaused() {
    var script = Script()
    notify(10...40, &script)
    script.add(.paused, at: 40.5)
    script.add(.ended(.shutdown), at: 100)
    let timeline = timeline(script)
    #expect(timeline.end.microseconds - Script.offset == 40_500_000)
    #expect(timeline.gaps.isEmpty && timeline.coverage?.floor == 1)
  }
}
