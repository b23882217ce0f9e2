/// Intervals between successive normal beats, in stretches. Differences are never taken across stretches.
public struct NNIntervals: Hashable, Sendable {
  /// The intervals in seconds, finite and not negative.
  public let seconds: [Double]
  /// For each interval the time of the beat that ends it, in seconds since the record's first beat; ascending.
  public let ends: [Double]
  /// For each interval whether it begins at the beat that ended the one before: the two are a valid pair.
  public let continues: [Bool]
  /// Which beats were accepted.
  public let filter: Filter
  /// The intervals of the recording that were left out, in order of their ends.
  public let exclusions: [Exclusion]
  /// The ends of intervals that were received as two, because of a false detection in between.
  public let joinedEnds: [Double]
  /// The step in which the recording tells intervals, in seconds, where that is too coarse for some figures: more than 8 ms. Else nil.
  public let coarseStep: Double?
  /// When the recording's first beat happened; nil without beats, and for intervals that the caller selected.
  public let origin: Timestamp?

  /// Which beats may bound an interval. Gaps always separate intervals, whatever the filter.
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
    /// When it ended, in seconds since the record's first beat.
    public var end: Double
    /// Why it does not count.
    public var reason: Reason

    /// The flags of its beats; of several flags the first in this order is the reason.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
      /// The first of its run: it began at a beat that was not received.
      case firstOfRun
      case filler
      /// There was not enough time for it: a packet that came twice, or a value that is not an interval.
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

  /// In seconds. Records of 128 values a second are in use for heart rate variability (7.8 ms, Task Force 1996, with interpolation).
  private static let coarsestStep = 0.008

  /// In seconds; the figures of longer intervals could overflow.
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

  /// The intervals that end in `range`, in seconds since the recording's first beat. The first of them continues none,
  /// since its predecessor is left out.
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
