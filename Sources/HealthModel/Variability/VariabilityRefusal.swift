/// Why a figure of heart rate variability is refused, instead of a NaN or a number without meaning.
@nonexhaustive
public enum VariabilityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case tooFewIntervals(needed: Int, available: Int)
  /// Too few pairs of NN intervals that follow each other without a gap.
  case tooFewPairs(needed: Int, available: Int)
  /// Too few five-minute segments that are complete and sufficiently filled.
  case tooFewSegments(needed: Int, available: Int)
  /// All intervals are 0, so there is no rate.
  case noDuration
  /// An interval is negative or not finite.
  case invalidInterval(index: Int)
  /// The examined time is shorter than the figure needs.
  case tooShort(neededSeconds: Double, availableSeconds: Double)
  /// NN intervals fill too little of the examined time; both are shares of 1.
  case tooThin(neededCoverage: Double, coverage: Double)
  /// No stretch without a long hole is long enough for the frequency band.
  case stretchTooShort(neededSeconds: Double, availableSeconds: Double)
  /// Every segment that is long enough for the frequency band has too many holes.
  case segmentsTooThin(neededCoverage: Double)
  /// The band in the denominator has no power.
  case noPower(FrequencyBand)
  /// The intervals are told in steps that would move the figure by more than 5 %.
  case tooCoarse(stepMilliseconds: Double)
  /// The sensor's intervals are no heart's, beat by beat, so there are no beats, and their variation says nothing.
  case noBeats(IntervalHabit)
  /// There would be more windows than can be returned.
  case tooManyWindows(limit: Int)
  /// SD2² is negative: the intervals alternate so strongly that the Poincaré ellipse has no length.
  case negativeVariance

  /// One line for a person.
  public var description: String {
    switch self {
    case .tooFewIntervals(let needed, let available): "\(needed) NN intervals are needed, there are \(available)"
    case .tooFewPairs(let needed, let available):
      "\(needed) pairs of successive NN intervals are needed, there are \(available)"
    case .tooFewSegments(let needed, let available):
      "\(needed) filled segments of five minutes are needed, there are \(available)"
    case .noDuration: "the intervals have no duration"
    case .invalidInterval(let index): "interval \(index) is negative or not finite"
    case .tooShort(let needed, let available): "\(Self.whole(needed)) s are needed, there are \(Self.whole(available))"
    case .tooThin(let needed, let coverage):
      "NN intervals must fill \(Self.whole(100 * needed)) % of the time, they fill \(Self.whole(100 * coverage)) %"
    case .stretchTooShort(let needed, let available):
      "\(Self.whole(needed)) s without a hole of five seconds are needed, there are \(Self.whole(available))"
    case .segmentsTooThin(let needed):
      "no segment is filled with NN intervals to \(Self.whole(100 * needed)) %"
    case .noPower(let band): "there is no power in \(band.rawValue)"
    case .tooCoarse(let step): "the intervals are known to \(Self.whole(step)) ms only, which would move it"
    case .noBeats(let habit): habit.words
    case .tooManyWindows(let limit): "that would be more than \(limit) windows; use longer ones"
    case .negativeVariance: "the intervals alternate too much for SD2"
    }
  }

  /// Rounded down, so that a value below a limit is never shown as reaching it.
  private static func whole(_ value: Double) -> Int { Int(max(0, min(value, 1e9))) }
}
