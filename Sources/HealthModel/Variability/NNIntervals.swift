/// Intervals between successive normal beats, in stretches: no difference is ever taken from one stretch to the next.
public struct NNIntervals: Hashable, Sendable {
  /// The intervals in seconds, finite and not negative.
  public let seconds: [Double]
  /// For each interval the time of the beat that ends it, in seconds since the record's first beat.
  public let ends: [Double]
  /// For each interval whether it begins at the beat that ended the one before: the two are a valid pair.
  public let continues: [Bool]
  /// The beats that were let through.
  public let filter: Filter

  /// Which beats of a record may bound an interval. Gaps always part the intervals, whatever the filter.
  public enum Filter: Hashable, Sendable {
    /// Neither beat is flagged as missed, extra, ectopic, implausible, filler or rateConflict.
    case normalToNormal
    /// Every interval as received, artefacts included.
    case all
  }

  /// Takes intervals that were chosen elsewhere; each array of `stretches` is without a gap.
  ///
  /// The length of the gaps is unknown here, so ``ends`` counts them as 0.
  ///
  /// - Throws: ``VariabilityRefusal/invalidInterval(index:)``, counted over all stretches.
  public init(stretches: [[Double]], filter: Filter = .all) throws(VariabilityRefusal) {
    var seconds: [Double] = []
    var ends: [Double] = []
    var continues: [Bool] = []
    var time = 0.0
    for stretch in stretches {
      for (index, interval) in stretch.enumerated() {
        guard interval.isFinite, interval >= 0 else { throw .invalidInterval(index: seconds.count) }
        time += interval
        seconds.append(interval)
        ends.append(time)
        continues.append(index > 0)
      }
    }
    self.seconds = seconds
    self.ends = ends
    self.continues = continues
    self.filter = filter
  }

  /// Takes the intervals of recorded beats.
  ///
  /// An interval counts where both its beats stand in one run, the later one is not preceded by a gap, and `filter` lets
  /// both through. The first beat of a run ends no interval: its RR began at a beat that nobody saw.
  public init(_ series: HeartbeatSeries, filter: Filter = .normalToNormal) {
    var seconds: [Double] = []
    var ends: [Double] = []
    var continues: [Bool] = []
    var origin: Timestamp?
    var previousIsUsable = false
    var previousEndedInterval = false
    let timescale = Double(series.timescale)
    series.forEachBeat { located in
      let start = origin ?? located.time
      origin = start
      let beat = located.beat
      let isUsable = filter == .all || beat.flags.isDisjoint(with: .notNormal)
      let counts = located.index > 0 && !beat.precededByGap && isUsable && previousIsUsable
      if counts {
        seconds.append(Double(beat.rrTicks) / timescale)
        ends.append(Double(located.time.microseconds(since: start)) / 1_000_000)
        continues.append(previousEndedInterval)
      }
      previousIsUsable = isUsable
      previousEndedInterval = counts
    }
    self.seconds = seconds
    self.ends = ends
    self.continues = continues
    self.filter = filter
  }

  /// How many intervals there are.
  public var count: Int { seconds.count }
}

extension Heartbeat.Flags {
  /// Each of these keeps a beat out of the NN intervals. ``firstOfRun`` is none of them: the beat itself is a normal one.
  public static let notNormal: Heartbeat.Flags = [.missed, .extra, .ectopic, .implausible, .filler, .rateConflict]
}
