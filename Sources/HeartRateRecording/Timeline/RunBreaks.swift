import HealthModel

/// Where runs begin for reasons that need no look at latencies (rule 4 of Documentation/timeline.md).
enum RunBreaks {
  /// Breaks of the link, of contact, and around invented and surplus intervals.
  static func known(in intervals: SessionIntervals, depth: Int) -> [RunStart] {
    merge(
      intervals.linkStarts, surplusStarts(intervals), fillerStarts(intervals),
      contactStarts(intervals, depth: depth))
  }

  /// One list in order of beats. Where two runs begin at the same beat, the reason of the earlier list is kept.
  static func merge(_ lists: [RunStart]...) -> [RunStart] {
    var byBeat: [Int: RunStart] = [:]
    for start in lists.joined() {
      if var earlier = byBeat[start.beat] {
        earlier.invented = earlier.invented ?? start.invented
        byBeat[start.beat] = earlier
      } else {
        byBeat[start.beat] = start
      }
    }
    return byBeat.values.sorted { $0.beat < $1.beat }
  }

  /// Rule 11: a run for each block of surplus intervals, and a run after it.
  private static func surplusStarts(_ intervals: SessionIntervals) -> [RunStart] {
    intervals.surplus.flatMap { range in
      [RunStart(beat: range.lowerBound, reason: .surplus, invented: .surplus)]
        + (range.upperBound < intervals.rrTicks.count ? [RunStart(beat: range.upperBound, reason: .surplus)] : [])
    }
  }

  /// Rules 4d and 7: a run for each block of fillers, and a run after it.
  private static func fillerStarts(_ intervals: SessionIntervals) -> [RunStart] {
    let (rrTicks, parameters) = (intervals.rrTicks, intervals.parameters)
    var result: [RunStart] = []
    var beat = 0
    while beat < rrTicks.count {
      guard rrTicks[beat] == parameters.fillerTicks else {
        beat += 1
        continue
      }
      var end = beat
      while end < rrTicks.count && rrTicks[end] == parameters.fillerTicks { end += 1 }
      if end - beat >= parameters.fillerCount {
        result.append(RunStart(beat: beat, reason: .filler, invented: .filler))
        if end < rrTicks.count { result.append(RunStart(beat: end, reason: .filler)) }
      }
      beat = end
    }
    return result
  }

  /// Rule 4b: contact was lost, and intervals stopped for longer than the next ones account for.
  ///
  /// A sensor with look-ahead sends some beats from before the loss only after it, so the run begins that much later.
  private static func contactStarts(_ intervals: SessionIntervals, depth: Int) -> [RunStart] {
    let packets = intervals.packets
    var result: [RunStart] = []
    var link = 0
    for index in packets.indices.dropFirst() where packets[index].contactLostBefore > 0 {
      let first = packets[index - 1].beatEnd
      while intervals.beats(ofLink: link).upperBound <= first { link += 1 }
      let stretch = intervals.beats(ofLink: link)
      if stretch.lowerBound == first { continue }
      let accounted = SensorTicks.microseconds(
        intervals.ticks[packets[index].beatEnd - 1] - intervals.ticks[first - 1])
      // The packets of a batching sensor arrive together, so the number of packets is a second measure of the silence.
      let silence = max(
        packets[index].arrival - packets[index - 1].arrival, Int64(packets[index].contactLostBefore) * 1_000_000)
      guard silence - accounted > 2 * intervals.localInterval(at: first, within: stretch) else { continue }
      let beat = first + depth
      if beat < stretch.upperBound { result.append(RunStart(beat: beat, reason: .contact)) }
    }
    return result
  }
}
