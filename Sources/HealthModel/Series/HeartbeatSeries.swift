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
  /// The start of the series: the one given to its builder, else the first beat. Nil without beats.
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

  /// A series of parts that a builder has checked.
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
  /// The time from the first beat to the last; nil without beats.
  public var bounds: TimeSpan? {
    guard let first = runs.first, let last = runs.last else { return nil }
    return TimeSpan(start: span(of: first).start, end: span(of: last).end)
  }

  /// The time from a run's first beat to its last. For a run of another series, only the beats that this series has count.
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

extension HeartbeatSeries {
  /// A beat with its place and time.
  public struct LocatedBeat: Hashable, Sendable {
    /// The wall-clock time of the beat.
    public var time: Timestamp
    /// The index of the run in the series.
    public var run: Int
    /// The index of the beat in its run.
    public var index: Int
    /// The beat itself.
    public var beat: Heartbeat
  }

  /// Every beat in order, with its time, which is computed at each step.
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

extension HeartbeatSeries {
  /// The step of the intervals, in seconds: a tick, or a longer step of which nearly all intervals are multiples, as with some
  /// sensors.
  public var intervalStep: Double {
    let tick = 1 / Double(timescale)
    return Self.steps.first { $0 > tick && areMultiples(of: $0) } ?? tick
  }

  /// Steps that sensors and programs have, in seconds.
  private static let steps = [0.1, 0.05, 0.025, 0.02, 0.01]
  /// The fewest intervals, and the fewest different multiples: few intervals, or a heart as even as a clock, may be multiples by
  /// chance.
  private static let fewest = 30
  private static let fewestMultiples = 2

  /// Whether nearly all intervals are multiples of a step, as far as ticks can show it.
  private func areMultiples(of step: Double) -> Bool {
    let ticks = step * Double(timescale)
    var multiples: Set<Int> = []
    var (count, others) = (0, 0)
    for beat in beats where beat.rrTicks > 0 && !beat.flags.contains(.firstOfRun) {
      count += 1
      let multiple = (Double(beat.rrTicks) / ticks).rounded()
      if abs(Double(beat.rrTicks) - multiple * ticks) > 0.6 { others += 1 } else { multiples.insert(Int(multiple)) }
      // One in fifty may be something else.
      if 50 * others > max(count, Self.fewest) { return false }
    }
    return count >= Self.fewest && multiples.count >= Self.fewestMultiples
  }
}

/// Maps the ticks of one run of beats to wall-clock time by a straight line, with its uncertainty.
///
/// Integer arithmetic only, so that every reader of the store computes the same microseconds.
public struct AffineTimeMap: Hashable, Sendable, Codable {
  /// The wall-clock time of tick 0.
  public var anchor: Timestamp
  /// The excess of the sensor's ticks over their nominal length, in parts per billion; observed: −25,000 to 10,000.
  public var slopePartsPerBillion: Int32
  /// Half the width of the interval that contains the times with 95 % confidence, in microseconds.
  public var uncertaintyMicroseconds: Int64

  /// A map; without slope and uncertainty the ticks count as exact.
  public init(anchor: Timestamp, slopePartsPerBillion: Int32 = 0, uncertaintyMicroseconds: Int64 = 0) {
    self.anchor = anchor
    self.slopePartsPerBillion = slopePartsPerBillion
    self.uncertaintyMicroseconds = uncertaintyMicroseconds
  }

  /// The wall-clock time of `ticks`, `timescale` of them to the second: rounded down to the microsecond, saturating.
  ///
  /// `anchor + ⌊ticks · (10⁹ + slope) / (timescale · 10³)⌋`
  @inline(__always)
  public func time(atTicks ticks: Int64, timescale: Int32) -> Timestamp {
    let factor = 1_000_000_000 + Int64(slopePartsPerBillion)
    let divisor = Int64(max(timescale, 1)) * 1000
    let (product, overflow) = ticks.multipliedReportingOverflow(by: factor)
    if overflow {
      let (wide, rest) = (Int128(ticks) * Int128(factor)).quotientAndRemainder(dividingBy: Int128(divisor))
      return anchor.advanced(byMicroseconds: Int64(clamping: rest < 0 ? wide - 1 : wide))
    }
    let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
    return anchor.advanced(byMicroseconds: remainder < 0 ? quotient - 1 : quotient)
  }
}

extension HeartbeatSeries: Codable {
  private enum Key: CodingKey { case timescale, start, runs, beats }

  /// Timescale, start, runs and beats. Throws ``SeriesError`` if they are no valid series.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try self.init(
      timescale: container.decode(Int32.self, forKey: .timescale), runs: container.decode([Run].self, forKey: .runs),
      beats: container.decode([Heartbeat].self, forKey: .beats),
      start: container.decodeIfPresent(Timestamp.self, forKey: .start))
  }

  /// Timescale, start, runs and beats.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(timescale, forKey: .timescale)
    try container.encodeIfPresent(start, forKey: .start)
    try container.encode(runs, forKey: .runs)
    try container.encode(beats, forKey: .beats)
  }
}

extension HeartbeatSeries: CustomStringConvertible {
  /// `5 beats in 1 run since 2026-11-22T10:30:00.000000Z`.
  public var description: String {
    guard let start else { return "0 beats" }
    return "\(beats.count) beats in \(runs.count) \(runs.count == 1 ? "run" : "runs") since \(start)"
  }
}
