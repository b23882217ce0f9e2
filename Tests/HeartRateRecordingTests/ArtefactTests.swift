import HeartRateRecording
import Testing

@Suite("Artefact flags")
struct ArtefactTests {
  private func flags(_ intervals: [UInt16]) -> SessionTimeline {
    var script = Script()
    script.beat(intervals, from: 10)
    let timeline = SessionTimeline(events: script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  @Test("an early beat is the one that ends the short interval, not the one after the pause")
  func earlyBeat() {
    var intervals = restingIntervals(200, seed: 50)
    intervals[100] = 560
    intervals[101] = 1240
    let timeline = flags(intervals)
    #expect(timeline.beats.flags[100] == .ectopic)
    #expect(timeline.beats.flags[101] == [])
    #expect(timeline.gaps.isEmpty)
  }

  @Test("an interval of two is a missed beat: a gap in an even rhythm, without a new run")
  func missedBeat() {
    var intervals = restingIntervals(200, seed: 51)
    intervals[100] += intervals.remove(at: 101)
    let timeline = flags(intervals)
    #expect(timeline.beats.flags[100] == .missed)
    #expect(timeline.beats.precededByGap[100])
    #expect(timeline.gaps.map(\.estimatedLostBeats) == [1])
    #expect(timeline.runs.count == 1)
  }

  @Test("two intervals that make one are an extra detection")
  func extraBeat() {
    var intervals = restingIntervals(200, seed: 52)
    let whole = intervals[100]
    intervals[100] = whole * 2 / 5
    intervals.insert(whole - whole * 2 / 5, at: 101)
    let timeline = flags(intervals)
    #expect(timeline.beats.flags[100].contains(.extra) || timeline.beats.flags[100].contains(.ectopic))
    #expect(timeline.gaps.isEmpty)
  }

  @Test("an interval that fits nothing is implausible")
  func implausibleInterval() {
    var intervals = restingIntervals(200, seed: 53)
    intervals[100] += 400
    let timeline = flags(intervals)
    #expect(timeline.beats.flags[100] == .implausible)
    #expect(timeline.gaps.isEmpty)
  }

  @Test("a resting heart is flagged in less than one beat of two hundred")
  func restingHeartIsNormal() {
    let timeline = flags(restingIntervals(3000, seed: 54))
    #expect(timeline.beats.flags.dropFirst().count { $0 != [] } < 15)
  }

  @Test("equal intervals, and very short runs, are normal", arguments: [2, 11, 12, 13, 50])
  func equalIntervals(count: Int) {
    let timeline = flags(Array(repeating: 900, count: count))
    #expect(timeline.beats.flags.dropFirst().allSatisfy { $0 == [] })
  }
}
