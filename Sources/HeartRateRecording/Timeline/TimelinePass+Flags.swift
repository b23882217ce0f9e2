extension TimelinePass {
  /// Rules 5 to 8: what is doubtful about each beat.
  mutating func flag() {
    flags = [BeatFlags](repeating: [], count: rrTicks.count)
    precededByGap = [Bool](repeating: false, count: rrTicks.count)
    for (index, run) in runs.enumerated() {
      flags[run.beats.lowerBound].insert(.firstOfRun)
      precededByGap[run.beats.lowerBound] = true
      if starts[index].isFiller {
        for beat in run.beats { flags[beat].insert(.filler) }
      } else {
        flagLong(run.beats)
        flagArtefacts(run.beats)
        for beat in run.beats where parameters.isImplausible(rrTicks[beat]) && !flags[beat].contains(.missed) {
          flags[beat].insert(.implausible)
        }
      }
    }
    flagConflicts()
  }

  /// Rule 5: an interval longer than 2.5 medians of its twelve neighbours in the run.
  private mutating func flagLong(_ beats: Range<Int>) {
    let inner = beats.dropFirst()
    guard inner.count >= parameters.missedNeighbours / 2 else { return }
    for beat in inner {
      let low = max(
        inner.startIndex, min(beat - parameters.missedNeighbours / 2, inner.endIndex - 1 - parameters.missedNeighbours))
      let high = min(inner.endIndex - 1, max(beat + parameters.missedNeighbours / 2, low + parameters.missedNeighbours))
      // Longer than the ratio times at least half of them: the same as longer than the ratio times their median.
      var shorter = 0
      let limit = Double(rrTicks[beat]) / parameters.missedRatio
      for neighbour in low...high where neighbour != beat && Double(rrTicks[neighbour]) < limit { shorter += 1 }
      if 2 * shorter > high - low {
        flags[beat].insert(.missed)
        precededByGap[beat] = true
      }
    }
  }

  /// Artefacts by Lipponen and Tarvainen. A missed beat makes a gap, so it must be twice as long without a doubt: the
  /// pause after an early beat is not.
  private mutating func flagArtefacts(_ beats: Range<Int>) {
    let intervals = rrTicks[(beats.lowerBound + 1)..<beats.upperBound]
    // A detection that is no beat explains why the interval after it is short: that one's own beat is normal.
    var explained: Int?
    for (index, kind) in LipponenTarvainen(intervals).kinds.enumerated() {
      let beat = intervals.startIndex + index
      switch kind {
      case .normal: break
      case .ectopic:
        // The early beat explains why the interval that it ends is short.
        flags[beat - 1].insert(.ectopic)
        flags[beat - 1].remove(.implausible)
      case .extra:
        flags[beat].insert(.extra)
        explained = beat + 1
      case .missed where isTwice(beat, beats):
        flags[beat].insert(.missed)
        precededByGap[beat] = true
      case .longOrShort where beat == explained: break
      case .missed, .longOrShort:
        if !flags[beat].contains(.missed) { flags[beat].insert(.implausible) }
      }
    }
  }

  /// Whether an interval is about two of those around it, and those are about equal: in a rhythm that is irregular
  /// anyway, a long interval says nothing.
  private func isTwice(_ beat: Int, _ beats: Range<Int>) -> Bool {
    let inner = beats.dropFirst()
    let neighbours = [beat - 2, beat - 1, beat + 1, beat + 2].filter(inner.contains).map { Double(rrTicks[$0]) }
    guard neighbours.count > 1, let least = neighbours.min(), let most = neighbours.max() else { return false }
    let own = Double(rrTicks[beat])
    return most < parameters.evenRatio * least && own > parameters.twiceRatio * most && own < 2.5 * least
  }

  /// Rule 8: the rate of a packet and the mean of the intervals up to it differ by more than half.
  private mutating func flagConflicts() {
    var beat = 0
    for packet in packets {
      defer { beat = packet.beatEnd }
      guard packet.rate > 0, let mean = meanInterval(endingAt: packet.beatEnd, atLeast: packet.beatEnd - beat),
        parameters.contradicts(rate: packet.rate, meanTicks: mean)
      else { continue }
      for index in beat..<packet.beatEnd { flags[index].insert(.rateConflict) }
    }
  }

  /// The mean of the last intervals of one run, long ones left out; nil for fewer than three.
  private func meanInterval(endingAt end: Int, atLeast count: Int) -> Double? {
    var sum = 0
    var used = 0
    var beat = end - 1
    while beat >= max(0, end - max(count, parameters.conflictBeats)) {
      if flags[beat].contains(.firstOfRun) { break }
      if !flags[beat].contains(.missed) {
        sum += Int(rrTicks[beat])
        used += 1
      }
      beat -= 1
    }
    return used >= 3 ? Double(sum) / Double(used) : nil
  }
}
