/// Beats in the sensor's own ticks, in runs that are each mapped to wall-clock time.
///
/// Nothing is rounded: ticks are stored, and times are computed from them (``locatedBeats``).
public struct HeartbeatSeries: Hashable, Sendable {
  /// Ticks per second: 1024 for Bluetooth's Heart Rate Service.
  public let timescale: Int32
  /// The runs in order; together they contain every beat exactly once.
  public let runs: [Run]
  /// All beats, run after run.
  public let beats: [Heartbeat]
  /// When the series begins: at the start given to its builder, else at its first beat. Nil without beats.
  public let start: Timestamp?

  /// A stretch of beats on one clock without a break.
  public struct Run: Hashable, Sendable, Codable {
    /// Indices into the series' beats; never empty.
    public var beats: Range<Int>
    /// The tick of the run's first beat: 0 if the map is anchored there.
    public var firstTick: Int64
    /// Maps the run's ticks to wall-clock time.
    public var map: AffineTimeMap

    /// A run over beats of the series.
    public init(beats: Range<Int>, firstTick: Int64 = 0, map: AffineTimeMap) {
      self.beats = beats
      self.firstTick = firstTick
      self.map = map
    }
  }

  /// A series without beats.
  public init(timescale: Int32 = 1024) {
    self.timescale = timescale
    runs = []
    beats = []
    start = nil
  }

  /// Checks that the runs are not empty, contain all beats in order, and that times strictly increase.
  ///
  /// `start` defaults to the first beat and must not be after it.
  public init(
    timescale: Int32, runs: [Run], beats: [Heartbeat], start: Timestamp? = nil
  ) throws(SeriesError) {
    guard timescale > 0 else { throw .invalidTimescale(timescale) }
    var next = 0
    for run in runs {
      guard run.beats.lowerBound == next, run.beats.upperBound > next, run.beats.upperBound <= beats.count else {
        throw .runsDoNotCoverBeats
      }
      next = run.beats.upperBound
    }
    guard next == beats.count else { throw .runsDoNotCoverBeats }
    self.timescale = timescale
    self.runs = runs
    self.beats = beats
    let first = Self.firstTime(runs, beats, timescale)
    if let first, let start, start > first { throw .startsBeforeSeries }
    self.start = first.map { start ?? $0 }
    var previous: Timestamp?
    var unordered: Int?
    for located in locatedBeats {
      if let previous, located.time <= previous {
        unordered = runs[located.run].beats.lowerBound + located.index
        break
      }
      previous = located.time
    }
    if let unordered { throw .timeNotIncreasing(index: unordered) }
  }

  /// For a builder, which has checked the parts.
  init(checked runs: [Run], beats: [Heartbeat], timescale: Int32, start: Timestamp?) {
    self.timescale = timescale
    self.runs = runs
    self.beats = beats
    self.start = start ?? Self.firstTime(runs, beats, timescale)
  }

  private static func firstTime(_ runs: [Run], _ beats: [Heartbeat], _ timescale: Int32) -> Timestamp? {
    guard let run = runs.first, let beat = beats.first else { return nil }
    return run.map.time(atTicks: run.firstTick, timescale: timescale)
      .advanced(byMicroseconds: Int64(beat.offsetMicroseconds))
  }

  /// The number of beats with ``Heartbeat/precededByGap``, without the series' first: nothing came before it.
  public var gapCount: Int {
    beats.dropFirst().count(where: \.precededByGap)
  }
}

extension HeartbeatSeries {
  /// From the first beat to the last; nil where there are none.
  public var bounds: TimeSpan? {
    guard let first = runs.first, let last = runs.last else { return nil }
    return TimeSpan(start: span(of: first).start, end: span(of: last).end)
  }

  /// From a run's first beat to its last. For a run of another series, only the beats that this series has count.
  public func span(of run: Run) -> (start: Timestamp, end: Timestamp) {
    let positions = run.beats.clamped(to: beats.indices)
    guard let first = positions.first, let last = positions.last else {
      let moment = run.map.time(atTicks: run.firstTick, timescale: timescale)
      return (moment, moment)
    }
    var ticks = run.firstTick
    for position in positions.dropFirst() { ticks = ticks &+ Int64(beats[position].rrTicks) }
    return (time(atTicks: run.firstTick, of: run, beat: first), time(atTicks: ticks, of: run, beat: last))
  }

  func time(atTicks ticks: Int64, of run: Run, beat: Int) -> Timestamp {
    run.map.time(atTicks: ticks, timescale: timescale)
      .advanced(byMicroseconds: Int64(beats[beat].offsetMicroseconds))
  }
}
