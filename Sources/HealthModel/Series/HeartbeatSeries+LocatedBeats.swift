extension HeartbeatSeries {
  /// A beat with its place and time.
  public struct LocatedBeat: Hashable, Sendable {
    /// When the beat was, in wall-clock time.
    public var time: Timestamp
    /// The index of the run in the series.
    public var run: Int
    /// The index of the beat in its run.
    public var index: Int
    /// The beat itself.
    public var beat: Heartbeat
  }

  /// Every beat in order, with its time; each time is computed when it is asked for.
  public var locatedBeats: LocatedBeats { LocatedBeats(series: self) }

  /// The beats of a series, one after the other.
  public struct LocatedBeats: Sequence, IteratorProtocol, Sendable {
    private let series: HeartbeatSeries
    private var run = 0
    private var position = 0
    private var ticks: Int64 = 0

    init(series: HeartbeatSeries) {
      self.series = series
    }

    /// The next beat; nil after the last.
    public mutating func next() -> LocatedBeat? {
      guard run < series.runs.count else { return nil }
      let its = series.runs[run]
      let beat = series.beats[position]
      let index = position - its.beats.lowerBound
      ticks = index == 0 ? its.firstTick : ticks &+ Int64(beat.rrTicks)
      let located = LocatedBeat(
        time: series.time(atTicks: ticks, of: its, beat: position), run: run, index: index, beat: beat)
      position += 1
      if position == its.beats.upperBound { run += 1 }
      return located
    }
  }
}
