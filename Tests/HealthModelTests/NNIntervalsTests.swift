import HealthModel
import Testing

@Suite("NN intervals")
struct NNIntervalsTests {
  let start = Timestamp(microseconds: 1_700_000_000_000_000)

  func series(_ beats: [(ticks: Int64, gap: Bool, flags: Heartbeat.Flags)]) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for beat in beats {
      try builder.add(atTicks: beat.ticks, since: start, precededByGap: beat.gap, flags: beat.flags)
    }
    return try builder.finish()
  }

  func reasons(_ intervals: NNIntervals) -> [NNIntervals.Exclusion.Reason] { intervals.exclusions.map(\.reason) }

  @Test(
    "a doubtful beat takes both its intervals along, and no difference is taken over the hole",
    arguments: [
      (Heartbeat.Flags.ectopic, NNIntervals.Exclusion.Reason.ectopic), (.implausible, .implausible),
      (.filler, .filler), (.rateConflict, .rateConflict),
      (.surplus, .surplus),
    ])
  func doubtful(_ flag: Heartbeat.Flags, _ reason: NNIntervals.Exclusion.Reason) throws {
    let beats = try series([
      (0, false, .firstOfRun), (1000, false, []), (1990, false, []), (2500, false, flag), (3700, false, []),
      (4700, false, []), (5690, false, []),
    ])
    let normal = NNIntervals(beats)
    #expect(normal.seconds == [1, 0.99, 1, 0.99])
    #expect(normal.continues == [false, true, false, true])
    #expect(normal.ends == [1, 1.99, 4.7, 5.69])
    #expect(HeartRateVariability(normal).pairCount == 2)
    #expect(reasons(normal) == [.firstOfRun, reason, reason])
    let all = NNIntervals(beats, filter: .all)
    #expect(all.seconds == [1, 0.99, 0.51, 1.2, 1, 0.99])
    #expect(HeartRateVariability(all).pairCount == 5)
  }

  @Test("a beat after missed ones may begin an interval: only its own interval does not count")
  func missed() throws {
    let intervals = NNIntervals(
      try series([(0, false, []), (1000, false, []), (3000, true, .missed), (3990, false, []), (5000, false, [])]))
    #expect(intervals.seconds == [1, 0.99, 1.01])
    #expect(intervals.continues == [false, false, true])
    #expect(reasons(intervals) == [.firstOfRun, .missed])
  }

  @Test("around an extra detection the two intervals are joined to one, in differences too")
  func extra() throws {
    let intervals = NNIntervals(
      try series([(0, false, []), (1000, false, []), (1400, false, .extra), (1990, false, []), (3000, false, [])]))
    #expect(intervals.seconds == [1, 0.99, 1.01])
    #expect(intervals.continues == [false, true, true])
    #expect(intervals.joinedEnds == [1.99])
    #expect(reasons(intervals) == [.firstOfRun])
  }

  @Test("an extra detection beside a gap, a doubtful beat or another one joins nothing")
  func extraWithoutNeighbours() throws {
    let afterGap = NNIntervals(
      try series([(0, false, []), (5000, true, .extra), (5600, false, []), (6600, false, [])]))
    #expect(afterGap.seconds == [1])
    #expect(reasons(afterGap) == [.firstOfRun, .gap, .extra])
    let beforeGap = NNIntervals(
      try series([(0, false, []), (400, false, .extra), (5600, true, []), (6600, false, [])]))
    #expect(beforeGap.seconds == [1])
    #expect(reasons(beforeGap) == [.firstOfRun, .extra, .gap])
    let twice = NNIntervals(
      try series([(0, false, []), (400, false, .extra), (700, false, .extra), (1000, false, []), (2000, false, [])]))
    #expect(twice.seconds == [1])
    let ectopic = NNIntervals(
      try series([(0, false, []), (400, false, .extra), (1000, false, .ectopic), (2000, false, []), (3000, false, [])]))
    #expect(ectopic.seconds == [1])
  }

  @Test("the first beat of a later run ends no interval but begins one")
  func secondRun() throws {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for offset in [0, 60] as [Int64] {
      try builder.beginRun(AffineTimeMap(anchor: start.advanced(byMicroseconds: offset * 1_000_000)))
      try builder.add(rrTicks: 700, flags: .firstOfRun)
      try builder.add(rrTicks: 800)
      try builder.add(rrTicks: 900)
    }
    let intervals = NNIntervals(try builder.finish(), filter: .all)
    #expect(intervals.seconds == [0.8, 0.9, 0.8, 0.9])
    #expect(intervals.continues == [false, true, false, true])
    #expect(intervals.ends == [0.8, 1.7, 60.8, 61.7])
  }

  @Test("surplus beats, one or more in a run of their own, bound no interval, and the beat after them ends none")
  func surplusRuns() throws {
    for surplus in 1...3 {
      var builder = HeartbeatSeriesBuilder(timescale: 1000)
      for (offset, count, flags) in [(0, 3, []), (3, surplus, .surplus), (4, 3, [])]
        as [(Int64, Int, Heartbeat.Flags)]
      {
        try builder.beginRun(AffineTimeMap(anchor: start.advanced(byMicroseconds: offset * 1_000_000)))
        for beat in 0..<count {
          let first: Heartbeat.Flags = beat == 0 ? .firstOfRun : []
          try builder.add(
            rrTicks: beat < 2 ? 200 : 210, precededByGap: beat == 0 && offset > 0, flags: flags.union(first))
        }
      }
      let intervals = NNIntervals(try builder.finish())
      #expect(intervals.seconds == [0.2, 0.21, 0.2, 0.21])
      #expect(intervals.continues == [false, true, false, true])
      #expect(
        reasons(intervals) == [.firstOfRun] + Array(repeating: .surplus, count: surplus) + [.firstOfRun])
    }
  }

  @Test("the first interval of a part continues no other")
  func part() throws {
    let whole = NNIntervals(try series((0...10).map { (ticks: Int64($0 * 1000), gap: false, flags: []) }))
    let part = whole.ending(in: 3..<6)
    #expect(part.ends == [3, 4, 5])
    #expect(part.continues == [false, true, true])
    #expect(part.origin == start)
    #expect(whole.ending(in: 0..<1).count == 0)
    #expect(whole.ending(in: 20..<30).count == 0)
  }
}
