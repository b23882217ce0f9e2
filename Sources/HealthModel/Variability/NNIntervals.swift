/// Intervals between successive normal beats, in stretches. Differences are never computed across stretches.
public struct NNIntervals: Hashable, Sendable {
  /// The intervals in seconds, finite and not negative.
  public let seconds: [Double]
  /// The time of the beat that ends each interval, in seconds since the record's first beat; ascending.
  public let ends: [Double]
  /// Whether each interval begins at the beat that ended the one before: then the two are a valid pair.
  public let continues: [Bool]
  /// The rule by which beats were accepted.
  public let filter: Filter
  /// The intervals of the recording that were left out, in order of their ends.
  public let exclusions: [Exclusion]
  /// The ends of intervals that were received as two, because of a false detection in between.
  public let joinedEnds: [Double]
  /// The step of the recording's intervals, in seconds, where it is too coarse for some figures: more than 8 ms. Otherwise nil.
  public let coarseStep: Double?
  /// The time of the recording's first beat; nil without beats, and for intervals that the caller selected.
  public let origin: Timestamp?

  /// A rule for the beats that may bound an interval. Gaps always separate intervals, whatever the filter.
  @nonexhaustive
  public enum Filter: String, Hashable, Sendable {
    /// Neither beat is flagged as ectopic, implausible, filler, surplus or rateConflict, and the later one not as missed (a
    /// beat flagged as missed may begin an interval). Around an extra detection the two intervals are joined to one.
    case normalToNormal
    /// Every interval as received, artefacts included.
    case all
  }

  /// An interval that was received and does not count as NN interval.
  public struct Exclusion: Hashable, Sendable {
    /// The end of the interval, in seconds since the record's first beat.
    public var end: Double
    /// The reason why the interval does not count.
    public var reason: Reason

    /// The flags of its beats; of several flags the first in this order is the reason.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
      /// The first of its run: it began at a beat that was not received.
      case firstOfRun
      case filler
      /// An interval for which there was not enough time: of a packet that came twice, or a value that is not an interval.
      case surplus
      /// The sensor missed beats in it, or the heart paused.
      case missed
      case ectopic
      case extra
      case implausible
      case rateConflict
      /// Preceded by a gap for another reason.
      case gap
    }
  }

  init(
    seconds: [Double], ends: [Double], continues: [Bool], filter: Filter, exclusions: [Exclusion] = [],
    joinedEnds: [Double] = [], origin: Timestamp? = nil, step: Double? = nil
  ) {
    self.seconds = seconds
    self.ends = ends
    self.continues = continues
    self.filter = filter
    self.exclusions = exclusions
    self.joinedEnds = joinedEnds
    self.origin = origin
    coarseStep = step.flatMap { $0 > Self.coarsestStep ? $0 : nil }
  }

  /// The coarsest step that is fine enough for every figure, in seconds. Records of 128 values a second are in use for heart rate
  /// variability (7.8 ms, Task Force 1996, with interpolation).
  private static let coarsestStep = 0.008

  /// The longest interval, in seconds; the figures of longer ones could overflow.
  private static let longestInterval = 1e9

  /// Intervals that the caller has selected; each array of `stretches` is without a gap.
  ///
  /// The length of the gaps is unknown, so ``ends`` counts them as 0.
  ///
  /// - Throws: ``VariabilityRefusal/invalidInterval(index:)`` for an interval that is negative, NaN or above 10⁹ s, counted
  ///   over all stretches.
  public init(stretches: [[Double]], filter: Filter = .all) throws(VariabilityRefusal) {
    var seconds: [Double] = []
    var ends: [Double] = []
    var continues: [Bool] = []
    var time = 0.0
    for stretch in stretches {
      for (index, interval) in stretch.enumerated() {
        guard (0...Self.longestInterval).contains(interval) else { throw .invalidInterval(index: seconds.count) }
        time += interval
        seconds.append(interval)
        ends.append(time)
        continues.append(index > 0)
      }
    }
    self.init(seconds: seconds, ends: ends, continues: continues, filter: filter)
  }

  /// The number of intervals.
  public var count: Int { seconds.count }

  /// Their total time, in seconds.
  public var duration: Double { seconds.reduce(0, +) }

  /// The intervals that end in `range`, in seconds since the recording's first beat. The first of them forms no pair with its
  /// predecessor, which is left out.
  public func ending(in range: Range<Double>) -> NNIntervals {
    let first = firstIndex(endingAt: range.lowerBound)
    let last = firstIndex(endingAt: range.upperBound)
    var continues = Array(continues[first..<last])
    if !continues.isEmpty { continues[0] = false }
    return NNIntervals(
      seconds: Array(seconds[first..<last]), ends: Array(ends[first..<last]), continues: continues, filter: filter,
      exclusions: exclusions.filter { range.contains($0.end) }, joinedEnds: joinedEnds.filter(range.contains),
      origin: origin, step: coarseStep)
  }

  /// The first interval that ends at `time` or later.
  private func firstIndex(endingAt time: Double) -> Int {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension NNIntervals {
  /// Selects the intervals of recorded beats.
  ///
  /// An interval counts if both its beats are in one run, the later one is not preceded by a gap, and `filter` accepts
  /// both. The first beat of a run ends no interval: its RR began at a beat that was not received.
  public init(_ series: HeartbeatSeries, filter: Filter = .normalToNormal) {
    var selection = Selection(
      filter: filter, ticksPerSecond: Double(series.timescale), capacity: series.beats.count)
    for beat in series.locatedBeats { selection.append(beat) }
    self.init(
      seconds: selection.seconds, ends: selection.ends, continues: selection.continues, filter: filter,
      exclusions: selection.exclusions, joinedEnds: selection.joinedEnds, origin: selection.origin,
      step: series.intervalStep)
  }

  /// Iterates over the beats once and decides for each about the interval that it ends.
  private struct Selection {
    let filter: Filter
    let ticksPerSecond: Double
    var seconds: [Double] = []
    var ends: [Double] = []
    var continues: [Bool] = []
    var exclusions: [Exclusion] = []
    var joinedEnds: [Double] = []
    var origin: Timestamp?

    /// The reason why no interval may begin at the previous beat; nil if one may.
    private var doubt: Exclusion.Reason? = .firstOfRun
    /// Whether the previous beat ended an interval that counts.
    private var endedInterval = false
    /// The ticks since the previous beat up to an extra detection.
    private var pending: Int64?

    init(filter: Filter, ticksPerSecond: Double, capacity: Int) {
      self.filter = filter
      self.ticksPerSecond = ticksPerSecond
      seconds.reserveCapacity(capacity)
      ends.reserveCapacity(capacity)
      continues.reserveCapacity(capacity)
    }

    mutating func append(_ located: HeartbeatSeries.LocatedBeat) {
      let start = origin ?? located.time
      origin = start
      let beat = located.beat
      let end = Double(located.time.microseconds(since: start)) / 1_000_000
      let flags = filter == .all ? [] : beat.flags
      let own = Self.doubt(flags)
      if located.index == 0 || beat.precededByGap || flags.contains(.missed) {
        if pending != nil { exclude(end, .extra) }
        exclude(end, Self.reason(for: located))
        proceed(doubt: own, endedInterval: false)
      } else if own == .extra, doubt == nil, pending == nil {
        pending = Int64(beat.rrTicks)
      } else if let reason = own ?? doubt {
        if pending != nil { exclude(end, .extra) }
        exclude(end, reason)
        proceed(doubt: own, endedInterval: false)
      } else {
        seconds.append(Double(Int64(beat.rrTicks) + (pending ?? 0)) / ticksPerSecond)
        ends.append(end)
        continues.append(endedInterval)
        if pending != nil { joinedEnds.append(end) }
        proceed(doubt: nil, endedInterval: true)
      }
    }

    private mutating func proceed(doubt: Exclusion.Reason?, endedInterval: Bool) {
      self.doubt = doubt
      self.endedInterval = endedInterval
      pending = nil
    }

    private mutating func exclude(_ end: Double, _ reason: Exclusion.Reason) {
      exclusions.append(Exclusion(end: end, reason: reason))
    }

    /// The reason why a beat itself is unreliable; nil for a normal one. ``Heartbeat/Flags/missed`` concerns the interval of a
    /// beat only, and ``Heartbeat/Flags/firstOfRun`` is not a doubt.
    private static func doubt(_ flags: Heartbeat.Flags) -> Exclusion.Reason? {
      if flags.isDisjoint(with: .doubtful) { return nil }
      if flags.contains(.filler) { return .filler }
      if flags.contains(.surplus) { return .surplus }
      if flags.contains(.ectopic) { return .ectopic }
      if flags.contains(.extra) { return .extra }
      return flags.contains(.implausible) ? .implausible : .rateConflict
    }

    /// The reason why an interval after a gap, or with missed beats in it, does not count.
    private static func reason(for located: HeartbeatSeries.LocatedBeat) -> Exclusion.Reason {
      let flags = located.beat.flags
      if flags.contains(.filler) { return .filler }
      if flags.contains(.surplus) { return .surplus }
      if located.index == 0 { return .firstOfRun }
      return flags.contains(.missed) ? .missed : .gap
    }
  }
}

extension Heartbeat.Flags {
  /// The flags of beats that are not normal, or whose place is doubtful.
  fileprivate static let doubtful: Heartbeat.Flags = [
    .extra, .ectopic, .implausible, .filler, .surplus, .rateConflict,
  ]
}
