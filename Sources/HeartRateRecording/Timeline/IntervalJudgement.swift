import HealthModel

/// Whether a session's intervals are one heart's, beat by beat, in 1/1024 s, and what is left out if they are not (rule
/// 12 of Documentation/timeline.md).
///
/// All of it is a habit of the sensor, judged over the whole session: single packets prove nothing.
struct IntervalJudgement {
  /// Nil where nothing speaks against the intervals.
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

  /// Milliseconds add up to 1000/1024 of the time, and are as much less than the rates say.
  private func isInMilliseconds(_ sums: IntervalSums) -> Bool {
    let expected = 1000.0 / 1024
    return abs(sums.ratio - expected) < parameters.millisecondRange + sums.error / 2 && sums.ratio + sums.error < 0.997
      && abs(sums.rateRatio - expected) < parameters.millisecondRateRange
  }

  /// Some optical sensors put one interval of 61440 / rate into every packet. It looks like a heartbeat and is none:
  /// the sum of such intervals is not the time that has passed, and their variability is that of the rate.
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
