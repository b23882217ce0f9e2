/// Intervals between successive normal beats, in stretches: no difference is ever taken from one stretch to the next.
public struct NNIntervals: Hashable, Sendable {
  /// The intervals in seconds, finite and not negative.
  public let seconds: [Double]
  /// For each interval the time of the beat that ends it, in seconds since the record's first beat; ascending.
  public let ends: [Double]
  /// For each interval whether it begins at the beat that ended the one before: the two are a valid pair.
  public let continues: [Bool]
  /// The beats that were let through.
  public let filter: Filter
  /// The intervals of the record that are none of these, in order of their ends.
  public let exclusions: [Exclusion]
  /// The ends of the intervals that were received as two, because of a detection between that was no beat.
  public let joinedEnds: [Double]
  /// When the record's first beat happened; nil for intervals that were chosen elsewhere, and without any.
  public let origin: Timestamp?

  /// Which beats of a record may bound an interval. Gaps always part the intervals, whatever the filter.
  @nonexhaustive
  public enum Filter: String, Hashable, Sendable {
    /// Neither beat is flagged as ectopic, implausible, filler, surplus or rateConflict, and the later one not as missed:
    /// that one is a beat, only its interval is none. Around an extra detection, which is no beat, two intervals are joined to the
    /// one that they are.
    case normalToNormal
    /// Every interval as received, artefacts included.
    case all
  }

  /// An interval that was received and is no NN interval.
  public struct Exclusion: Hashable, Sendable {
    /// When it ended, in seconds since the record's first beat.
    public var end: Double
    /// Why it does not count.
    public var reason: Reason

    /// What the beats that bound it are flagged with, in the order in which one is preferred as the reason.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
      /// The first of its run: it began at a beat that nobody saw.
      case firstOfRun
      case filler
      /// More than there was time for: a packet that came twice, or a value that is no interval.
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
    joinedEnds: [Double] = [], origin: Timestamp? = nil
  ) {
    self.seconds = seconds
    self.ends = ends
    self.continues = continues
    self.filter = filter
    self.exclusions = exclusions
    self.joinedEnds = joinedEnds
    self.origin = origin
  }

  /// In seconds: the figures of longer ones would be no numbers.
  private static let longestInterval = 1e9

  /// Takes intervals that were chosen elsewhere; each array of `stretches` is without a gap.
  ///
  /// The length of the gaps is unknown here, so ``ends`` counts them as 0.
  ///
  /// - Throws: ``VariabilityRefusal/invalidInterval(index:)`` for what is negative, no number or beyond 10⁹ s, counted over
  ///   all stretches.
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

  /// How many intervals there are.
  public var count: Int { seconds.count }

  /// The time that they fill, in seconds.
  public var duration: Double { seconds.reduce(0, +) }

  /// Those that end in `range`, in seconds since the record's first beat. The first of them continues none, since the one
  /// before it is not among them.
  public func ending(in range: Range<Double>) -> NNIntervals {
    let first = firstIndex(endingAt: range.lowerBound)
    let last = firstIndex(endingAt: range.upperBound)
    var continues = Array(continues[first..<last])
    if !continues.isEmpty { continues[0] = false }
    return NNIntervals(
      seconds: Array(seconds[first..<last]), ends: Array(ends[first..<last]), continues: continues, filter: filter,
      exclusions: exclusions.filter { range.contains($0.end) }, joinedEnds: joinedEnds.filter(range.contains),
      origin: origin)
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
