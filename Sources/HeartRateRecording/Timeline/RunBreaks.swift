import HealthModel

/// The beginnings of runs for reasons that need no look at latencies (rule 4 of Documentation/timeline.md).
enum RunBreaks {
  /// Breaks of the link, of contact, after silences, and around invented and surplus intervals.
  static func known(in intervals: SessionIntervals, depth: Int) -> [RunStart] {
    merge(
      intervals.linkStarts, surplusStarts(intervals), fillerStarts(intervals),
      contactStarts(intervals, depth: depth), silenceStarts(intervals, depth: depth))
  }

  /// One list in order of beats. Where two runs begin at the same beat, the reason of the earlier list stands.
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
      if end - beat >= parameters.fillerCount, isFilled(beat..<end, intervals) {
        result.append(RunStart(beat: beat, reason: .filler, invented: .filler))
        if end < rrTicks.count { result.append(RunStart(beat: end, reason: .filler)) }
      }
      beat = end
    }
    return result
  }

  /// Whether the heart around these intervals of half a second beats otherwise, by its intervals or by the rate. A
  /// pacemaker or a simulator may well beat twice a second.
  private static func isFilled(_ beats: Range<Int>, _ intervals: SessionIntervals) -> Bool {
    let parameters = intervals.parameters
    let around = (beats.lowerBound - parameters.fillerNeighbours)..<(beats.upperBound + parameters.fillerNeighbours)
    let others = intervals.rrTicks[around.clamped(to: intervals.rrTicks.indices)]
    if others.contains(where: { abs(Int($0) - Int(parameters.fillerTicks)) > parameters.fillerSpread }) { return true }
    let expected = Double(61_440 / Int(parameters.fillerTicks))
    return intervals.packets[intervals.packets(of: beats)].contains { packet in
      packet.rate > 0 && abs(Double(packet.rate) - expected) > parameters.likeRateRange * expected
    }
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
      let accounted = intervals.clock.microseconds(
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

  /// Rule 4f: intervals come again after a silence, and what comes next does not account for it.
  ///
  /// A long interval may account for it, and intervals that the sensor stored meanwhile; both arrive within seconds.
  /// Packets that waited for the host show no silence of the sensor. As with contact, a sensor with look-ahead sends
  /// some beats from before the silence only after it.
  private static func silenceStarts(_ intervals: SessionIntervals, depth: Int) -> [RunStart] {
    let (packets, parameters) = (intervals.packets, intervals.parameters)
    var result: [RunStart] = []
    var link = 0
    for index in packets.indices.dropFirst() {
      let (before, after) = (packets[index - 1], packets[index])
      let silence = after.arrival - before.arrival
      guard silence > parameters.silenceMicroseconds, before.hasOwnArrival, after.hasOwnArrival else { continue }
      while intervals.beats(ofLink: link).upperBound <= before.beatEnd { link += 1 }
      let stretch = intervals.beats(ofLink: link)
      guard stretch.lowerBound < before.beatEnd else { continue }
      let least = max(silence / 2, 2 * intervals.localInterval(at: before.beatEnd, within: stretch))
      var next = index
      var isAccounted = false
      while !isAccounted, next < packets.count, packets[next].beatEnd <= stretch.upperBound,
        packets[next].arrival - after.arrival <= parameters.silenceReach
      {
        let sum = intervals.ticks[packets[next].beatEnd - 1] - intervals.ticks[before.beatEnd - 1]
        isAccounted = packets[next].arrival - before.arrival - intervals.clock.microseconds(sum) <= least
        next += 1
      }
      let beat = before.beatEnd + depth
      if !isAccounted, beat < stretch.upperBound { result.append(RunStart(beat: beat, reason: .silence)) }
    }
    return result
  }
}
