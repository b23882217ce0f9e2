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

    /// Why no interval may begin at the previous beat; nil if one may.
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

    /// Why the beat itself is unreliable; nil for a normal one. ``Heartbeat/Flags/missed`` concerns its interval only, and
    /// ``Heartbeat/Flags/firstOfRun`` is not a doubt.
    private static func doubt(_ flags: Heartbeat.Flags) -> Exclusion.Reason? {
      if flags.isDisjoint(with: .doubtful) { return nil }
      if flags.contains(.filler) { return .filler }
      if flags.contains(.surplus) { return .surplus }
      if flags.contains(.ectopic) { return .ectopic }
      if flags.contains(.extra) { return .extra }
      return flags.contains(.implausible) ? .implausible : .rateConflict
    }

    /// Why the interval after a gap, or with missed beats in it, does not count.
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
