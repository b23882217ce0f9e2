/// How a discrete average weighs its values. HealthKit publishes none for values without duration; these are ours, and
/// a later version may have more.
@nonexhaustive
public enum WeightingPolicy: Hashable, Sendable, CustomStringConvertible, Codable {
  /// Within a source each value weighs as long as it lasts; where all durations are zero, all weigh the same. Sources weigh
  /// as long as they cover time (``Statistics/sourceWeights``).
  case ownDuration
  /// Each value holds until the next one of its series starts, unless that is more than so many microseconds later.
  case holdLast(maximumGapMicroseconds: Int64)
  /// Straight lines join a series' values, unless they are more than so many microseconds apart.
  case trapezoid(maximumGapMicroseconds: Int64)

  /// Ten seconds: as long as a strap's link may stutter.
  public static let standardGapMicroseconds: Int64 = 10_000_000

  /// One line for a person.
  public var description: String {
    switch self {
    case .ownDuration: "ownDuration"
    case .holdLast: "holdLast"
    case .trapezoid: "trapezoid"
    }
  }

  /// Above how many microseconds the time between two values is a gap.
  public var maximumGapMicroseconds: Int64 {
    switch self {
    case .ownDuration: Self.standardGapMicroseconds
    case .holdLast(let gap), .trapezoid(let gap): gap
    }
  }
}
