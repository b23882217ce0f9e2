import GATTHeartRate
import HealthModel
import Sensors

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

  /// Begins a new run: what comes next does not follow what came before.
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
    // Only the next interval shows whether an early beat is ectopic or a false detection: the final pass tells them apart.
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
