extension TimelinePass {
  /// Rules 5 to 8: what is doubtful about each beat.
  mutating func flag() {
    var judged = IntervalFlags(rrTicks, parameters)
    for (index, run) in runs.enumerated() { judged.judge(run.beats, isFiller: starts[index].isFiller) }
    flags = judged.flags
    precededByGap = flags.map { !$0.isDisjoint(with: .gap) }
    flagConflicts()
  }

  /// Rule 8: the rate of a packet and the mean of the intervals up to it differ by more than half.
  private mutating func flagConflicts() {
    let (packets, ticks, parameters) = (packets, ticks, parameters)
    var result = flags
    var flags = result.mutableSpan
    var beat = 0
    // The last beat that begins a run or has a long interval.
    var lastUnusual = -1
    for index in packets.indices {
      let first = beat
      let end = packets[index].beatEnd
      while beat < end {
        if !flags[beat].isDisjoint(with: [.firstOfRun, .missed]) { lastUnusual = beat }
        beat += 1
      }
      let low = max(0, end - max(end - first, parameters.conflictBeats))
      guard packets[index].rate > 0 else { continue }
      let mean =
        lastUnusual < low && end - low >= 3
        ? Double(ticks[end - 1] - ticks[low - 1]) / Double(end - low)
        : Self.meanInterval(low..<end, ticks: ticks.span, flags.span)
      guard let mean, parameters.contradicts(rate: packets[index].rate, meanTicks: mean) else { continue }
      for beat in first..<end { flags[beat].insert(.rateConflict) }
    }
    self.flags = result
  }

  /// The mean of those of these intervals that belong to the last one's run, long ones left out; nil for fewer than three.
  private static func meanInterval(_ beats: Range<Int>, ticks: Span<Int64>, _ flags: Span<BeatFlags>) -> Double? {
    var sum: Int64 = 0
    var used = 0
    for beat in beats.reversed() {
      if flags[beat].contains(.firstOfRun) { break }
      if !flags[beat].contains(.missed) {
        sum += ticks[beat] - ticks[beat - 1]
        used += 1
      }
    }
    return used >= 3 ? Double(sum) / Double(used) : nil
  }
}
