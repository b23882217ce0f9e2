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
    var judged = beats
    for run in runs {
      // No interval is formed across a gap, so each stretch is judged by itself; its first beat ends no interval that counts.
      var first = run.beats.lowerBound
      for beat in run.beats.dropFirst() where beats[beat].precededByGap {
        judgement.judge(first..<beat)
        first = beat
      }
      judgement.judge(first..<run.beats.upperBound)
      for beat in run.beats {
        let isFirst = beat == run.beats.lowerBound
        judged[beat].flags =
          isFirst || beats[beat].precededByGap
          ? beats[beat].flags.intersection(.firstOfRun) : judgement.flags[beat].subtracting(.firstOfRun)
      }
    }
    // Flags change nothing that a series is checked for.
    return (try? HeartbeatSeries(timescale: timescale, runs: runs, beats: judged, start: start)) ?? self
  }
}
