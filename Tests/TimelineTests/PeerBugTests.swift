import GATTHeartRate
import HealthModel
import Testing
import Timeline

/// How other programs lose or distort beats when they store them; all of these have been seen.
@Suite("Storage bugs of other programs")
struct PeerBugTests {
  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  @Test("equal payloads at one arrival time are all kept: no key of device, time and interval drops a neighbour")
  func equalNeighboursAreKept() {
    var script = Script()
    for _ in 0..<3 { script.notify([900, 900], at: 10, rate: 66) }
    let timeline = timeline(script)
    #expect(timeline.quality.notifications == 3)
    #expect(timeline.rates.map(\.beatsPerMinute) == [66, 66, 66])
    #expect(timeline.beats.rrTicks == Array(repeating: 900, count: 6))
  }

  @Test("intervals of one arrival keep the order in which they were sent, not that of their size")
  func orderIsAsSent() {
    var script = Script()
    script.notify([1000, 990, 980, 970], at: 10)
    script.notify([960, 950, 1100, 940], at: 10)
    #expect(timeline(script).beats.rrTicks == [1000, 990, 980, 970, 960, 950, 1100, 940])
  }

  @Test("a beat's place in its run goes on from packet to packet: the key of a beat is unique")
  func indexDoesNotRestart() throws {
    var script = Script()
    var time = 10.0
    for _ in 0..<20 {
      time += 1.76
      script.notify([900, 900], at: time)
    }
    let timeline = timeline(script)
    let run = try #require(timeline.runs.first)
    #expect(run.beats == 0..<40)
    #expect(timeline.runs.count == 1)
  }

  @Test("no interval is formed across a hole: the beat after it says that a gap precedes")
  func noDifferenceAcrossAHole() {
    var script = Script()
    let time = script.beat(restingIntervals(30, seed: 60), from: 10)
    script.add(.disconnected(reason: nil), at: time + 1)
    script.add(.connected, at: time + 2)
    script.beat(restingIntervals(30, seed: 61), from: time + 3)
    let timeline = timeline(script)
    #expect(timeline.beats.precededByGap.indices.filter { timeline.beats.precededByGap[$0] } == [0, 30])
  }

  @Test("stamps of whole seconds do not make beats of one second fall together")
  func wholeSecondsDoNotCollapseBeats() {
    var script = Script()
    var time = 10.0
    var second = 10.0
    for interval in restingIntervals(300, mean: 310, seed: 62) {
      time += Double(interval) / 1024
      second = max(second, time.rounded(.up))
      script.notify([interval], at: second, rate: 198)
    }
    let timeline = timeline(script)
    let times = timeline.beats.wallMicroseconds
    for (index, interval) in timeline.beats.rrTicks.enumerated().dropFirst() {
      #expect(abs(Double(times[index] - times[index - 1]) - Double(interval) / 1024 * 1e6) < 200)
    }
  }

  @Test("after a drop the time base moves: beats lie where their notifications arrived")
  func timeBaseMovesAfterADrop() {
    var script = Script()
    let time = script.beat(restingIntervals(100, seed: 63), from: 10)
    script.add(.disconnected(reason: nil), at: time + 1)
    script.add(.connected, at: time + 119)
    script.beat(restingIntervals(100, seed: 64), from: time + 120)
    let timeline = timeline(script)
    let silence = Double(timeline.microseconds(fromRun: 0, toRun: 1)) / 1e6
    #expect(abs(silence - 120.9) < 0.3)
  }

  @Test("a sensor that falls silent gives no more values: the last one is never repeated")
  func lastValueIsNotRepeated() {
    var script = Script()
    script.notify([900], at: 10, rate: 71)
    script.add(.ended(.offSkin), at: 310)
    let timeline = timeline(script)
    #expect(timeline.rates.count == 1)
    #expect(timeline.beats.count == 1)
    #expect(timeline.endMicroseconds == Script.offset + 10_000_000)
  }

  @Test("a rate that is sent again after each reconnection is a rate, and no beat")
  func resentRateIsNoBeat() {
    var script = Script()
    script.notify([900], at: 10, rate: 71)
    script.add(.disconnected(reason: nil), at: 12)
    script.add(.connected, at: 14)
    script.notify(at: 14.01, rate: 71)
    script.notify([880], at: 15, rate: 72)
    let timeline = timeline(script)
    #expect(timeline.rates.map(\.beatsPerMinute) == [71, 71, 72])
    #expect(timeline.beats.rrTicks == [900, 880])
  }
}
