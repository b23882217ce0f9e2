import GATTHeartRate
public import HealthModel
public import Sensors

/// The beats of an open session as they arrive: causal, in constant memory, provisional.
struct LiveTimeline: Sendable {
  /// The beats of the last notification.
  private(set) var beats: [LiveBeat] = []
  /// Runs begun so far.
  private(set) var runs = 0

  private var indexInRun = 0
  /// Whether the next beat begins a run.
  private var isBroken = true
  /// Ticks since the run's first beat.
  private var ticks: Int64 = 0
  private var lastBeat: BootInstant?
  /// Intervals of exactly 512 ticks in a row, up to and with the last.
  private var fillers = 0
  /// The number of ``beats`` that have their times; the others still hold their ticks.
  private var placed = 0
  private var recent = RecentIntervals()
  private var floor = ResidualFloor()

  /// Forgets the beats of the previous notification.
  mutating func clear() {
    beats.removeAll(keepingCapacity: true)
  }

  /// Begins a new run: the next beats do not follow those before.
  mutating func breakRun() {
    isBroken = true
  }

  /// After a reboot: instants begin again at 0.
  mutating func restart() {
    isBroken = true
    lastBeat = nil
  }

  /// Adds the intervals of a notification that arrived at `instant`.
  mutating func append(_ header: HeartRateMeasurement.Header, _ bytes: Span<UInt8>, at instant: BootInstant) {
    guard header.rrCount > 0 else { return }
    placed = beats.count
    for index in 0..<header.rrCount {
      append(header.rrTicks(index, in: bytes), rate: header.beatsPerMinute, arrival: instant)
    }
    place(arrival: instant)
  }

  private mutating func append(_ rrTicks: UInt16, rate: UInt16, arrival: BootInstant) {
    let parameters = TimelineParameters.standard
    let wasFilling = fillers >= parameters.fillerCount
    fillers = rrTicks == parameters.fillerTicks ? fillers + 1 : 0
    let isFilling = fillers >= parameters.fillerCount
    if isFilling != wasFilling { isBroken = true }

    let isFirst = isBroken
    if isFirst {
      place(arrival: arrival)
      beginRun()
    } else {
      ticks += Int64(rrTicks)
      indexInRun += 1
    }
    var flags: Heartbeat.Flags = isFirst ? .firstOfRun : []
    let isMissed = !isFirst && recent.isLong(rrTicks, ratio: parameters.missedRatio)
    if isFilling { flags.insert(.filler) }
    if isMissed { flags.insert(.missed) }
    if !isMissed && parameters.isImplausible(rrTicks) { flags.insert(.implausible) }
    // Only the next interval shows whether an early beat is ectopic or a false detection: the final pass distinguishes
    // the two.
    if !isFirst && !isFilling && recent.isShort(rrTicks, ratio: parameters.earlyRatio) { flags.insert(.ectopic) }
    if !isFirst && !isMissed { recent.append(rrTicks) }
    if let mean = recent.mean, parameters.contradicts(rate: rate, meanTicks: mean) { flags.insert(.rateConflict) }
    beats.append(
      LiveBeat(
        run: runs - 1, indexInRun: indexInRun, rrTicks: rrTicks, instant: BootInstant(microseconds: ticks),
        precededByGap: isFirst || isMissed, flags: flags))
  }

  private mutating func beginRun() {
    isBroken = false
    runs += 1
    indexInRun = 0
    ticks = 0
    recent = RecentIntervals()
    floor = ResidualFloor()
  }

  /// Gives times to the beats added since the last call, all of one run.
  private mutating func place(arrival: BootInstant) {
    guard placed < beats.count else { return }
    floor.insert(arrival.microseconds &- SensorClock.standard.microseconds(ticks), at: arrival.microseconds)
    while placed < beats.count {
      let time = floor.value &+ SensorClock.standard.microseconds(beats[placed].instant.microseconds)
      let earliest = lastBeat?.advanced(byMicroseconds: 1) ?? BootInstant(microseconds: .min)
      let instant = max(earliest, min(arrival, BootInstant(microseconds: time)))
      beats[placed].instant = instant
      lastBeat = instant
      placed += 1
    }
  }
}

/// A beat of an open session: provisional. The stored beats come from ``SessionTimeline``.
public struct LiveBeat: Hashable, Sendable {
  /// The run of the beat, from 0, and its place in the run, from 0, as far as is known yet.
  public var run: Int
  public var indexInRun: Int
  /// The interval that ended at this beat, in 1/1024 s, as received.
  public var rrTicks: UInt16
  /// Estimated time of the beat: never later than the arrival of its notification, and later than the beat before it.
  public var instant: BootInstant
  /// Whether beats may have happened since the one before it.
  public var precededByGap: Bool
  public var flags: Heartbeat.Flags

  public init(
    run: Int, indexInRun: Int, rrTicks: UInt16, instant: BootInstant, precededByGap: Bool, flags: Heartbeat.Flags
  ) {
    self.run = run
    self.indexInRun = indexInRun
    self.rrTicks = rrTicks
    self.instant = instant
    self.precededByGap = precededByGap
    self.flags = flags
  }
}

/// The last twelve intervals of a run, with which the live flags compare the next one.
struct RecentIntervals: Sendable {
  private var ticks: [UInt16] = []
  private var next = 0

  private static let capacity = 12
  /// With fewer intervals no length counts as long.
  private static let fewest = 5

  mutating func append(_ rrTicks: UInt16) {
    if ticks.count < Self.capacity {
      ticks.append(rrTicks)
    } else {
      ticks[next] = rrTicks
    }
    next = (next + 1) % Self.capacity
  }

  /// The mean of the intervals, in ticks; nil where there are too few.
  var mean: Double? {
    guard ticks.count >= Self.fewest else { return nil }
    return Double(ticks.reduce(0) { $0 + Int($1) }) / Double(ticks.count)
  }

  /// Whether an interval is longer than `ratio` medians.
  func isLong(_ rrTicks: UInt16, ratio: Double) -> Bool {
    guard ticks.count >= Self.fewest else { return false }
    // Longer than `ratio` times at least half of them: equivalent to `ratio` medians, without sorting.
    let shorter = ticks.count { Double(rrTicks) > ratio * Double($0) }
    return 2 * shorter > ticks.count
  }

  /// Whether an interval is shorter than `ratio` medians.
  func isShort(_ rrTicks: UInt16, ratio: Double) -> Bool {
    guard ticks.count >= Self.fewest else { return false }
    let longer = ticks.count { Double(rrTicks) < ratio * Double($0) }
    return 2 * longer > ticks.count
  }
}

/// The smallest arrival minus beat time of the last one to two minutes: a live estimate of a run's offset.
///
/// Latency only ever adds, so the smallest residual is nearest to the truth. Old values are forgotten, so that it follows
/// the sensor's drift and unannounced losses of intervals.
struct ResidualFloor: Sendable {
  private var bucketStart: Int64 = 0
  private var current = Int64.max
  private var previous = Int64.max

  private static let bucketMicroseconds: Int64 = 60_000_000

  /// Microseconds; meaningless before the first ``insert(_:at:)``.
  var value: Int64 { min(current, previous) }

  mutating func insert(_ residual: Int64, at microseconds: Int64) {
    if current == .max || microseconds &- bucketStart > Self.bucketMicroseconds {
      previous = current
      current = residual
      bucketStart = microseconds
    } else {
      current = min(current, residual)
    }
  }
}

/// Counts the gaps of an open session in constant memory, by those rules of the final pass that look back only.
///
/// For a sensor without intervals this is the number that will be stored. The count of gaps between beats is provisional,
/// like ``LiveBeat``.
struct LiveGaps: Sendable {
  private var trace = RateTrace()
  private var hasBeats = false
  /// Gaps before the last packet with intervals: gaps of rates before the first such packet, gaps of beats after it.
  private var confirmed = 0
  /// Gaps of rates since that packet. If intervals come again, one gap of beats replaces all of them.
  private var sinceBeats = 0

  var count: Int { confirmed + sinceBeats }

  /// Records a break: the next values do not follow those before.
  mutating func lose(_ reason: GapReason, at instant: Int64) {
    trace.lose(reason, at: instant)
  }

  /// Adds a measurement and the beats that it brought.
  mutating func append(_ header: HeartRateMeasurement.Header, isOnSkin: Bool, _ beats: [LiveBeat], at instant: Int64) {
    guard isOnSkin else { return trace.leaveSkin(at: instant) }
    let isGap = trace.append(header.beatsPerMinute, at: instant) != nil
    guard header.rrCount > 0 else {
      if isGap { sinceBeats += 1 }
      return
    }
    if hasBeats {
      confirmed += beats.count(where: \.precededByGap)
    } else {
      // The session's first beat has no gap of its own; a gap before it is one of rates.
      confirmed += sinceBeats + (isGap ? 1 : 0) + beats.dropFirst().count(where: \.precededByGap)
    }
    hasBeats = true
    sinceBeats = 0
  }
}
