extension TimelinePass {
  /// Rule 4d and 7: a run before, of and after each block of invented intervals.
  func fillerStarts() -> [RunStart] {
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
        result.append(RunStart(beat: beat, reason: .filler, isFiller: true))
        if end < rrTicks.count { result.append(RunStart(beat: end, reason: .filler)) }
      }
      beat = end
    }
    return result
  }

  /// Rule 4b: contact was lost, and intervals stopped for a time that the next ones do not account for.
  ///
  /// A sensor that hands beats on late delivers some from before the loss only after it: the run begins that much later.
  func contactStarts(linkStarts: [RunStart]) -> [RunStart] {
    var result: [RunStart] = []
    var link = 0
    for index in packets.indices.dropFirst() where packets[index].contactLostBefore > 0 {
      let first = packets[index - 1].beatEnd
      while link + 1 < linkStarts.count && linkStarts[link + 1].beat <= first { link += 1 }
      if linkStarts[link].beat == first { continue }
      let end = link + 1 < linkStarts.count ? linkStarts[link + 1].beat : rrTicks.count
      let stretch = linkStarts[link].beat..<end
      let accounted = RunMap.microseconds(ticks: ticks[packets[index].beatEnd - 1] - ticks[first - 1])
      // A batching sensor's packets arrive together: their number is the second measure of the silence.
      let silence = max(
        packets[index].arrival - packets[index - 1].arrival, Int64(packets[index].contactLostBefore) * 1_000_000)
      guard silence - accounted > 2 * localInterval(at: first, within: stretch) else { continue }
      let beat = first + depth.beats
      if beat < end { result.append(RunStart(beat: beat, reason: .contact)) }
    }
    return result
  }
}
