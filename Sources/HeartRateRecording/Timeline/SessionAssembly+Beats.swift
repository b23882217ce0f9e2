import HealthModel

extension SessionAssembly {
  /// The beats in their runs: ticks and a map for each run, and a time of its own for each beat that differs from the map.
  ///
  /// - Throws: ``HealthModel/SeriesError`` where a beat is not later than the one before it, or lies 35 minutes off its run's map: a
  ///   defect of this program.
  func heartbeats() throws(SeriesError) -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: intervals.clock.ticksPerSecond)
    builder.reserveCapacity(flags.count)
    for run in placement.runs {
      try builder.beginRun(run.map)
      for beat in run.beats {
        try builder.add(
          rrTicks: UInt32(intervals.rrTicks[beat]), precededByGap: isPrecededByGap(beat), flags: flags[beat],
          at: Timestamp(microseconds: placement.wall[beat]))
      }
    }
    return try builder.finish()
  }

  /// Whether beats may have happened since the one before it. True for the session's first beat.
  private func isPrecededByGap(_ beat: Int) -> Bool { !flags[beat].isDisjoint(with: .gap) }

  /// The gaps between beats in order: one for each beat preceded by a gap, except the session's first.
  var gaps: [RecordingGap] {
    var gaps: [RecordingGap] = []
    let runs = placement.runs
    var run = 0
    for beat in flags.indices.dropFirst() where isPrecededByGap(beat) {
      while run + 1 < runs.count && runs[run + 1].beats.lowerBound <= beat { run += 1 }
      let isRunStart = runs[run].beats.lowerBound == beat
      let start = placement.wall[beat - 1]
      let end = placement.wall[beat]
      let before = isRunStart ? runs[run - 1].beats : runs[run].beats
      let interval = intervals.localInterval(at: beat - 1, within: before)
      gaps.append(
        RecordingGap(
          isRunStart ? starts[run].reason ?? .missedOrPause : .missedOrPause, from: start, to: end,
          estimatedLostBeats: max(0, Int((Double(end - start) / Double(interval)).rounded()) - 1)))
    }
    return gaps
  }

  /// Rule 9: the share of the session that its intervals account for; nil for a session without length.
  ///
  /// The ceiling adds intervals that were received but lie between no two received beats (the first of each run, missed
  /// beats or pauses), and up to three seconds after the last beat, since beats may still have been in the sensor.
  func coverage(in bounds: SessionBounds) -> Coverage? {
    guard bounds.length > 0 else { return nil }
    var known: Int64 = 0
    var perhaps: Int64 = 0
    for beat in flags.indices where flags[beat].isDisjoint(with: [.filler, .surplus]) {
      if isPrecededByGap(beat) {
        perhaps += Int64(intervals.rrTicks[beat])
      } else {
        known += Int64(intervals.rrTicks[beat])
      }
    }
    let edges = Double(min(3_000_000, max(0, bounds.end - (placement.wall.last ?? 0))))
    let floor = Double(intervals.clock.microseconds(known)) / bounds.length
    let ceiling = (Double(intervals.clock.microseconds(known + perhaps)) + edges) / bounds.length
    return Coverage(floor: min(1, floor), ceiling: min(1, max(floor, ceiling)))
  }
}
