/// How a discrete average weighs its values. HealthKit does not say how it weighs values without duration; these policies
/// are ours, and a later version may have more.
@nonexhaustive
public enum WeightingPolicy: Hashable, Sendable, CustomStringConvertible, Codable {
  /// Within a source each value weighs by its duration; if all durations are zero, all weigh the same. Sources weigh by the
  /// time they cover (``Statistics/sourceWeights``).
  case ownDuration
  /// Each value holds until the next one of its series starts, if that is not more than this many microseconds later.
  case holdLast(maximumGapMicroseconds: Int64)
  /// Straight lines connect a series' values, unless they are more than this many microseconds apart.
  case trapezoid(maximumGapMicroseconds: Int64)

  /// Ten seconds: as long as a strap's link may be interrupted.
  public static let standardGapMicroseconds: Int64 = 10_000_000

  /// One line for a person.
  public var description: String {
    switch self {
    case .ownDuration: "ownDuration"
    case .holdLast: "holdLast"
    case .trapezoid: "trapezoid"
    }
  }

  /// The longest time between two values that is not a gap, in microseconds.
  public var maximumGapMicroseconds: Int64 {
    switch self {
    case .ownDuration: Self.standardGapMicroseconds
    case .holdLast(let gap), .trapezoid(let gap): gap
    }
  }
}
