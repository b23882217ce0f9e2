public import HealthModel

extension HeartbeatSeries {
  /// Whether a file or program brought flags of its own, which it alone can know.
  public var hasFlags: Bool { beats.contains { $0.flags.isDoubtful } }

  /// The same beats with the flags that the recorder gives its own by their intervals (rules 5 and 8 of
  /// Documentation/timeline.md), run by run. Intervals, times and gaps stay.
  ///
  /// Rules that look at packets and rates find nothing here: of imported beats there are none.
  public func judged() -> HeartbeatSeries {
    let ticks = beats.map { UInt16(clamping: (Int64($0.rrTicks) * 1024 + Int64(timescale) / 2) / Int64(timescale)) }
    var judgement = IntervalFlags(ticks, .standard)
    for run in runs { judgement.judge(run.beats) }
    var judged = beats
    for index in judged.indices {
      // The first beat of an imported run ends no interval.
      let isNone = judged[index].rrTicks == 0
      judged[index].flags = isNone ? judgement.flags[index].intersection(.firstOfRun) : judgement.flags[index]
    }
    // Flags change nothing that a series is checked for.
    return (try? HeartbeatSeries(timescale: timescale, runs: runs, beats: judged, start: start)) ?? self
  }
}
