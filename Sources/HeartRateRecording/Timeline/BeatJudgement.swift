public import HealthModel

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

/// The flags that follow from the intervals of a run alone: rules 5, 7 and 8 of Documentation/timeline.md without the
/// rates.
///
/// Used by the final pass for the whole session, and by the status for the last minutes of an open one.
struct IntervalFlags {
  /// The intervals of all runs.
  let rrTicks: [UInt16]
  let parameters: TimelineParameters
  /// One for each interval; empty for intervals of runs not judged yet.
  private(set) var flags: [Heartbeat.Flags]

  init(_ rrTicks: [UInt16], _ parameters: TimelineParameters) {
    self.rrTicks = rrTicks
    self.parameters = parameters
    flags = [Heartbeat.Flags](repeating: [], count: rrTicks.count)
  }

  /// Judges the beats of one run, of which there is at least one.
  ///
  /// - Parameters:
  ///   - run: The beats.
  ///   - invented: The flag for all of them if they are no heartbeats (fillers or surplus).
  mutating func judge(_ run: Range<Int>, as invented: Heartbeat.Flags? = nil) {
    flags[run.lowerBound].insert(.firstOfRun)
    if let invented {
      for beat in run { flags[beat].insert(invented) }
    } else {
      flagLong(run)
      flagArtefacts(run)
      for beat in run where parameters.isImplausible(rrTicks[beat]) && !flags[beat].contains(.missed) {
        flags[beat].insert(.implausible)
      }
    }
  }

  /// Rule 5: an interval longer than 2.5 medians of its twelve neighbours in the run.
  private mutating func flagLong(_ beats: Range<Int>) {
    let inner = beats.dropFirst()
    let reach = parameters.missedNeighbours
    guard inner.count >= reach / 2 else { return }
    var first = inner.lowerBound
    while first < inner.upperBound {
      let stretch = first..<min(first + 4 * reach, inner.upperBound)
      first = stretch.upperBound
      // If the longest of them is not much longer than the shortest, none is long.
      let around = max(stretch.lowerBound - reach, inner.lowerBound)..<min(stretch.upperBound + reach, inner.upperBound)
      var shortest = UInt16.max
      var longest = UInt16.min
      for interval in rrTicks[around] {
        shortest = min(shortest, interval)
        longest = max(longest, interval)
      }
      guard Double(shortest) < Double(longest) / parameters.missedRatio else { continue }
      for beat in stretch where isLong(beat, within: inner) {
        flags[beat].insert(.missed)
      }
    }
  }

  private func isLong(_ beat: Int, within inner: Range<Int>) -> Bool {
    let reach = parameters.missedNeighbours
    let low = max(inner.lowerBound, min(beat - reach / 2, inner.upperBound - 1 - reach))
    let high = min(inner.upperBound - 1, max(beat + reach / 2, low + reach))
    // Longer than the ratio times at least half of them: equivalent to the ratio times their median.
    let limit = Double(rrTicks[beat]) / parameters.missedRatio
    var shorter = 0
    for neighbour in low...high where neighbour != beat && Double(rrTicks[neighbour]) < limit { shorter += 1 }
    return 2 * shorter > high - low
  }

  /// Artefacts by Lipponen and Tarvainen. A missed beat makes a gap, so the interval must clearly be twice as long; the
  /// pause after an early beat is not.
  private mutating func flagArtefacts(_ beats: Range<Int>) {
    let intervals = rrTicks[(beats.lowerBound + 1)..<beats.upperBound]
    // A beat marked as an extra detection: it explains why the next interval is short, whose own beat is then normal.
    var explained: Int?
    for (index, kind) in LipponenTarvainen(intervals).kinds.enumerated() {
      let beat = intervals.startIndex + index
      switch kind {
      case .normal: break
      case .ectopic:
        // The early beat ends the short interval; the beat after it is normal.
        flags[beat - 1].insert(.ectopic)
        flags[beat - 1].remove(.implausible)
      case .extra:
        flags[beat].insert(.extra)
        explained = beat + 1
      case .missed where isTwice(beat, beats):
        flags[beat].insert(.missed)
      case .longOrShort where beat == explained: break
      case .missed, .longOrShort:
        if !flags[beat].contains(.missed) { flags[beat].insert(.implausible) }
      }
    }
  }

  /// Whether an interval is about twice its neighbours, and these are about equal. In an irregular rhythm a long interval
  /// proves nothing.
  private func isTwice(_ beat: Int, _ beats: Range<Int>) -> Bool {
    let inner = beats.dropFirst()
    let neighbours = [beat - 2, beat - 1, beat + 1, beat + 2].filter(inner.contains).map { Double(rrTicks[$0]) }
    guard neighbours.count > 1, let least = neighbours.min(), let most = neighbours.max() else { return false }
    let own = Double(rrTicks[beat])
    return most < parameters.evenRatio * least && own > parameters.twiceRatio * most && own < 2.5 * least
  }
}

extension HeartbeatSeries {
  /// Whether a file or program brought flags of its own, which it alone can know.
  public var hasFlags: Bool { beats.contains { $0.flags.isDoubtful } }

  /// The same beats with the flags that the recorder gives its own by their intervals (rules 5 and 8 of
  /// Documentation/timeline.md), run by run. Intervals, times and gaps stay.
  ///
  /// Rules that look at packets and rates have no effect, since imported beats have neither.
  public func judged() -> HeartbeatSeries {
    let ticks = beats.map { UInt16(clamping: (Int64($0.rrTicks) * 1024 + Int64(timescale) / 2) / Int64(timescale)) }
    var judgement = IntervalFlags(ticks, .standard)
    var judged = beats
    for run in runs {
      // No interval is formed across a gap, so each stretch is judged by itself; its first beat ends no interval that
      // counts.
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

extension Heartbeat.Flags {
  /// The flags of beats from which no interval to the previous beat may be formed.
  static let gap: Heartbeat.Flags = [.firstOfRun, .missed]
  /// Whether the beat or its interval is doubtful. Being the first of a run is not doubtful.
  var isDoubtful: Bool { !subtracting(.firstOfRun).isEmpty }
}
