import HealthModel

/// Rules 5 to 8 and 11 of Documentation/timeline.md: the flags of each beat.
struct BeatJudgement {
  private(set) var flags: [Heartbeat.Flags]

  init(_ intervals: SessionIntervals, _ starts: [RunStart]) {
    var judged = IntervalFlags(intervals.rrTicks, intervals.parameters)
    for (index, start) in starts.enumerated() {
      let beats = start.beat..<(index + 1 < starts.count ? starts[index + 1].beat : intervals.rrTicks.count)
      judged.judge(beats, as: start.invented)
    }
    flags = judged.flags
    for beats in conflicts(intervals) {
      for beat in beats { flags[beat].insert(.rateConflict) }
    }
  }

  /// Rule 8: a packet's rate and the mean of the intervals up to it differ by more than half.
  ///
  /// Sensors may or may not include an interval over missed beats in their own mean. So a rate conflicts only if it
  /// contradicts both means.
  private func conflicts(_ intervals: SessionIntervals) -> [Range<Int>] {
    let (packets, ticks, parameters) = (intervals.packets, intervals.ticks, intervals.parameters)
    var conflicts: [Range<Int>] = []
    let flags = flags.span
    var beat = 0
    // The last beat that begins a run or ends a long interval.
    var lastUnusual = -1
    for index in packets.indices {
      let first = beat
      let end = packets[index].beatEnd
      while beat < end {
        if !flags[beat].isDisjoint(with: [.firstOfRun, .missed]) { lastUnusual = beat }
        beat += 1
      }
      let rate = packets[index].rate
      let low = max(0, end - max(end - first, parameters.conflictBeats))
      guard rate > 0 else { continue }
      let isConflict: Bool
      if lastUnusual < low && end - low >= 3 {
        let mean = Double(ticks[end - 1] - ticks[low - 1]) / Double(end - low)
        isConflict = parameters.contradicts(rate: rate, meanTicks: mean)
      } else {
        isConflict = [false, true].allSatisfy { withLong in
          meanInterval(low..<end, ticks: ticks, withLong: withLong).map {
            parameters.contradicts(rate: rate, meanTicks: $0)
          } ?? false
        }
      }
      if isConflict { conflicts.append(first..<end) }
    }
    return conflicts
  }

  /// The mean of those intervals that belong to the run of the last one, with or without long intervals; nil for fewer than
  /// three.
  private func meanInterval(_ beats: Range<Int>, ticks: [Int64], withLong: Bool) -> Double? {
    var sum: Int64 = 0
    var used = 0
    for beat in beats.reversed() {
      if flags[beat].contains(.firstOfRun) { break }
      if withLong || !flags[beat].contains(.missed) {
        sum += ticks[beat] - ticks[beat - 1]
        used += 1
      }
    }
    return used >= 3 ? Double(sum) / Double(used) : nil
  }
}
