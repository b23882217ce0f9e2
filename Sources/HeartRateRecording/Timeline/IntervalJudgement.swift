import HealthModel

/// The judgement whether a session's intervals are those of one heart, beat by beat, in 1/1024 s, and which are left
/// out if they are not (rule 12 of Documentation/timeline.md).
///
/// All of it is a habit of the sensor, judged over the whole session: single packets prove nothing.
struct IntervalJudgement {
  /// The sensor's habit; nil where nothing speaks against the intervals.
  private(set) var habit: IntervalHabit?
  /// For each interval whether it is left out of the series; empty where none is.
  private(set) var leftOut: [Bool] = []
  /// The sum of the intervals, as a multiple of the time that passed; nil where too little time shows it.
  private(set) var ratio: Double?
  private let parameters: TimelineParameters

  init(_ columns: TimelineCollector, _ parameters: TimelineParameters) {
    self.parameters = parameters
    guard !columns.rrTicks.isEmpty else { return }
    leaveOut(RepeatedIntervals.doubled(in: columns, parameters), as: .doubled)
    let sums = IntervalSums(columns, leftOut: leftOut, parameters)
    if isInvented(sums, columns) {
      leaveOutAll(columns, as: .invented)
      return
    }
    guard sums.microseconds >= parameters.leastJudged else { return }
    ratio = sums.ratio
    if isInMilliseconds(sums) {
      habit = .milliseconds
      return
    }
    if sums.ratio - 1 > parameters.repeatedRatio + sums.error {
      let again = RepeatedIntervals.again(in: columns, sums, leftOut: leftOut, parameters)
      let others = IntervalSums(columns, leftOut: again, parameters)
      if abs(others.ratio - 1) < parameters.repeatedRatio + others.error + (sums.ratio - 1) / 8 {
        leaveOut(again, as: .repeated)
        return
      }
    }
    guard abs(sums.ratio - 1) > parameters.unfitRatio + sums.error else { return }
    if abs(sums.ratio - 2) < parameters.twiceRange {
      leaveOutAll(columns, as: .twoHearts)
    } else if sums.ratio < 1, Double(sums.single) > parameters.inventedShare * Double(sums.packets),
      abs(sums.rateRatio - 1) < parameters.likeRateRange
    {
      leaveOutAll(columns, as: .newestOnly)
    } else {
      leaveOutAll(columns, as: .unfit)
    }
  }

  /// The clock in whose ticks the intervals are.
  var clock: SensorClock { habit == .milliseconds ? .milliseconds : .standard }

  var leftOutCount: Int { leftOut.count { $0 } }

  private mutating func leaveOut(_ intervals: [Bool], as habit: IntervalHabit) {
    guard intervals.contains(true) else { return }
    self.habit = habit
    leftOut = intervals
  }

  private mutating func leaveOutAll(_ columns: TimelineCollector, as habit: IntervalHabit) {
    self.habit = habit
    leftOut = [Bool](repeating: true, count: columns.rrTicks.count)
  }

  /// Whether the intervals are in milliseconds: then they add up to 1000/1024 of the time, and are less than the rates
  /// by the same factor.
  private func isInMilliseconds(_ sums: IntervalSums) -> Bool {
    let expected = 1000.0 / 1024
    return abs(sums.ratio - expected) < parameters.millisecondRange + sums.error / 2 && sums.ratio + sums.error < 0.997
      && abs(sums.rateRatio - expected) < parameters.millisecondRateRange
  }

  /// Some optical sensors put one interval of 61440 / rate into every packet. Such an interval looks like a
  /// heartbeat's: but the sum of these intervals is not the time that has passed, and their variability is that of the
  /// rate.
  private func isInvented(_ sums: IntervalSums, _ columns: TimelineCollector) -> Bool {
    let least = parameters.inventedShare * Double(sums.rated)
    guard sums.rated >= parameters.fewestInvented, Double(sums.likeRate) >= least else { return false }
    // A heart that beats evenly (in a trial, say) fits its rate as well, but its intervals add up to the time between
    // its packets.
    return sums.rates.count >= parameters.manyInventedRates
      || sums.rates.count >= parameters.fewestInventedRates
        && !accountForTime(columns, oneEach: Double(sums.single) >= parameters.inventedShare * Double(sums.packets))
  }

  /// Whether the sum of the intervals is the time between their packets, silences left out, also in a short session.
  ///
  /// At rates near the packets' pace, invented intervals have the right sum by chance. So where nearly all packets hold
  /// one interval (`oneEach`), sum and time must also stay close together throughout: the beats of a packet end within
  /// an interval before it.
  private func accountForTime(_ columns: TimelineCollector, oneEach: Bool) -> Bool {
    var sum: Int64 = 0
    var span: Int64 = 0
    var least: Int64 = 0
    var greatest: Int64 = 0
    for (packet, next) in zip(columns.packets, columns.packets.dropFirst())
    where next.arrival - packet.arrival < parameters.hole {
      span += next.arrival - packet.arrival
      for beat in packet.beatEnd..<next.beatEnd {
        sum += SensorClock.standard.microseconds(Int64(columns.rrTicks[beat]))
      }
      least = min(least, sum - span)
      greatest = max(greatest, sum - span)
    }
    let keepsTogether = greatest - least <= parameters.mostWanderOfIntervals
    return abs(span - sum) <= span / 50 && (keepsTogether || !oneEach)
  }
}

/// The sum of a session's intervals, next to the time that passed: the question that decides whether they are one heart's,
/// beat by beat (rule 12 of Documentation/timeline.md).
///
/// Only stretches without a hole count, from ten seconds after they began: values that were lost, or sent later, show
/// nothing of the sensor's habits.
struct IntervalSums {
  /// The length of all stretches, in microseconds, and the ticks of the intervals within them.
  private(set) var microseconds: Int64 = 0
  private(set) var ticks: Int64 = 0
  private var stretches = 0
  /// The numbers of packets with a rate, and of those whose intervals follow from the rate, to a tick.
  private(set) var rated = 0
  private(set) var likeRate = 0
  /// Packets with intervals, those with one, and those that begin with the last interval of the packet before.
  private(set) var packets = 0
  private(set) var single = 0
  private(set) var repeated = 0
  /// The sum of intervals of usual length, and of the intervals by the rates beside them, in ticks.
  private var usualTicks: Int64 = 0
  private var usualTicksByRate: Int64 = 0
  /// The rates of packets whose intervals follow from the rate.
  private(set) var rates: Set<UInt16> = []

  /// The sums without the intervals that are `leftOut`, one entry for each, or of all where it is empty.
  init(_ columns: TimelineCollector, leftOut: [Bool] = [], _ parameters: TimelineParameters) {
    let batched = columns.packets.count { $0.isBatched }
    let isBatching = Double(batched) > parameters.batchedShare * Double(columns.packets.count)
    let hole = isBatching ? parameters.batchedHole : parameters.hole
    var stretch = Stretch()
    var before: TimelineCollector.Packet?
    var lastTicks: UInt16 = 0
    for packet in columns.packets {
      let beats = (before?.beatEnd ?? 0)..<packet.beatEnd
      let isHole =
        before.map { $0.link != packet.link || packet.arrival - $0.arrival > hole } ?? true
        || !packet.hasOwnArrival || packet.contactLostBefore > 0
      before = packet
      let kept = leftOut.isEmpty ? beats.count : beats.count { !leftOut[$0] }
      var sum: Int64 = 0
      for beat in beats where leftOut.isEmpty || !leftOut[beat] {
        // Longer ones are no intervals of a heart, or lie over a hole.
        if columns.rrTicks[beat] <= parameters.longestTicks { sum += Int64(columns.rrTicks[beat]) }
      }
      if isHole { close(&stretch, parameters) }
      stretch.append(sum, at: packet.arrival, isHole: isHole, settlesAfter: parameters.settleMicroseconds)
      guard kept > 0 else { continue }
      packets += 1
      if kept == 1 { single += 1 }
      if packets > 1, columns.rrTicks[beats.lowerBound] == lastTicks { repeated += 1 }
      lastTicks = columns.rrTicks[beats.upperBound - 1]
      if packet.rate > 0 { compare(columns.rrTicks[beats], with: packet.rate) }
    }
    close(&stretch, parameters)
  }

  private mutating func compare(_ intervals: ArraySlice<UInt16>, with rate: UInt16) {
    let expected = 61_440 / Int(rate)
    rated += 1
    var isLikeRate = true
    for ticks in intervals {
      let ticks = Int(ticks)
      if abs(ticks - expected) > 1 { isLikeRate = false }
      // An interval over missed beats, or of an extra one, has another length than that by the rate.
      if 2 * ticks > expected, 2 * ticks < 3 * expected {
        usualTicks += Int64(ticks)
        usualTicksByRate += Int64(expected)
      }
    }
    guard isLikeRate else { return }
    likeRate += 1
    rates.insert(rate)
  }

  /// Packets one after the other without a hole.
  private struct Stretch {
    var begin: Int64 = .max
    var end: Int64 = 0
    var ticks: Int64 = 0

    mutating func append(_ sum: Int64, at instant: Int64, isHole: Bool, settlesAfter: Int64) {
      if isHole { (begin, ticks) = (instant &+ settlesAfter, 0) }
      if instant > begin {
        // The first packet that counts ends before the intervals that do.
        if end >= begin { ticks += sum } else { begin = instant }
        end = instant
      }
    }
  }

  private mutating func close(_ stretch: inout Stretch, _ parameters: TimelineParameters) {
    let length = stretch.end &- stretch.begin
    if stretch.begin != .max, length >= parameters.leastStretch {
      microseconds += length
      ticks += stretch.ticks
      stretches += 1
    }
    stretch = Stretch()
  }
}

extension IntervalSums {
  /// The sum of the intervals, as a multiple of the time that passed.
  var ratio: Double { Double(ticks) * SensorClock.standard.microsecondsPerTick / max(Double(microseconds), 1) }

  /// The possible error of ``ratio``: three seconds for each stretch, since beats at its ends may be on either side.
  var error: Double { 3e6 * Double(max(stretches, 1)).squareRoot() / max(Double(microseconds), 1) }

  /// The intervals as a multiple of those by the rates.
  var rateRatio: Double { Double(usualTicks) / Double(max(usualTicksByRate, 1)) }
}
