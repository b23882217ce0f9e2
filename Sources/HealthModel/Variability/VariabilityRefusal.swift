/// Why a figure of heart rate variability is not given: in the place of a NaN or of a number without meaning.
public enum VariabilityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case tooFewIntervals(needed: Int, available: Int)
  /// Pairs of NN intervals that follow each other without a gap.
  case tooFewPairs(needed: Int, available: Int)
  /// Five-minute segments that are whole and sufficiently filled.
  case tooFewSegments(needed: Int, available: Int)
  /// All intervals are 0, so there is no rate.
  case noDuration
  /// An interval is negative or not finite.
  case invalidInterval(index: Int)
  /// SD2² comes out negative: the intervals alternate so much that the ellipse of the Poincaré plot has no length.
  case negativeVariance

  public var description: String {
    switch self {
    case .tooFewIntervals(let needed, let available): "\(needed) NN intervals are needed, there are \(available)"
    case .tooFewPairs(let needed, let available):
      "\(needed) pairs of successive NN intervals are needed, there are \(available)"
    case .tooFewSegments(let needed, let available):
      "\(needed) filled segments of five minutes are needed, there are \(available)"
    case .noDuration: "the intervals have no duration"
    case .invalidInterval(let index): "interval \(index) is negative or not finite"
    case .negativeVariance: "the intervals alternate too much for SD2"
    }
  }
}
