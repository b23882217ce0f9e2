import HealthModel
import Testing
import Timeline

@Suite("Artefact flags")
struct ArtefactTests {
  private func flags(_ intervals: [UInt16]) -> SessionTimeline {
    var script = Script()
    script.beat(intervals, from: 10)
    let timeline = SessionTimeline(script.events)
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

  @Test("an interval of two is a missed beat: a gap, without a new run")
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
    #expect(timeline.beats.flags[100] == .extra)
    #expect(timeline.beats.flags[101] == [])
    #expect(timeline.gaps.isEmpty)
  }

  @Test("a missed beat just before an extra detection is not taken for a late beat")
  func missedThenExtra() {
    var intervals = restingIntervals(200, seed: 55)
    intervals[100] *= 2
    let whole = intervals[101]
    intervals[101] = whole * 2 / 5
    intervals.insert(whole - whole * 2 / 5, at: 102)
    let flags = flags(intervals).beats.flags
    #expect(flags[100] == .implausible)
    #expect(flags[101] == .extra)
    #expect(flags[102] == [])
  }

  @Test("a beat that comes late, and the next in time, is flagged once")
  func lateBeat() {
    var intervals = restingIntervals(200, seed: 56)
    let (first, second) = (intervals[100], intervals[101])
    intervals[100] = (first + second) / 2 + 250
    intervals[101] = (first + second) / 2 - 250
    #expect(flags(intervals).beats.flags[100...102] == [.ectopic, [], []])
  }

  @Test(
    "breathing makes no artefacts: an interval within a tenth of its surroundings is normal, whatever the next one is")
  func breathing() {
    var intervals = restingIntervals(200, seed: 57)
    intervals.replaceSubrange(100..<105, with: [900, 870, 846, 964, 900])
    intervals.replaceSubrange(130..<135, with: [900, 930, 958, 832, 900])
    let flags = flags(intervals).beats.flags
    #expect(flags[98..<108].allSatisfy { $0 == [] })
    #expect(flags[128..<138].allSatisfy { $0 == [] })
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

  @Test(
    "a rhythm that alternates is a rhythm: no beat in it is an outlier among its likes",
    arguments: [20, 60, 100, 200, 300])
  func alternation(difference: Int) {
    let intervals = (0..<300).map { UInt16(900 + ($0 % 2 == 0 ? difference / 2 : -difference / 2)) }
    #expect(flags(intervals).beats.flags.dropFirst().allSatisfy { $0 == [] })
  }

  @Test("in a rhythm that alternates an early beat still stands out")
  func earlyBeatInAlternation() {
    var intervals = (0..<300).map { UInt16($0 % 2 == 0 ? 930 : 870) }
    intervals[150] = 550
    intervals[151] = 1250
    #expect(flags(intervals).beats.flags[150].contains(.ectopic))
  }

  @Test("differences below a tenth of the interval are no artefacts, however even the rest")
  func smallDifferences() {
    var intervals = [UInt16](repeating: 900, count: 200)
    for index in stride(from: 20, to: 180, by: 20) { intervals[index] = UInt16(900 + (index % 40 == 0 ? 85 : -85)) }
    #expect(flags(intervals).beats.flags.dropFirst().allSatisfy { $0 == [] })
  }

  @Test("an artefact in the last intervals of a run is flagged too", arguments: [1, 2, 3])
  func lastIntervals(fromEnd: Int) {
    var intervals = restingIntervals(100, seed: 55)
    intervals[100 - fromEnd] = 450
    #expect(flags(intervals).beats.flags[100 - fromEnd] != [])
  }
}
