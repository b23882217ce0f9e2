/// How quantities of a type become one figure. A style is data with a version, since what a style means may change.
///
/// Styles are open: a store may hold one that a newer program wrote. Its values can be read, and not averaged or summed.
public struct AggregationStyle: RawRepresentable, Hashable, Sendable, CustomStringConvertible, Codable {
  /// The name in a file.
  public let rawValue: String

  /// The style with that name, be it known to this program or not.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The sum; a quantity that straddles a border is divided by time.
  public static let cumulative = AggregationStyle(rawValue: "cumulative")
  /// The plain mean.
  public static let discreteArithmetic = AggregationStyle(rawValue: "discreteArithmetic")
  /// The mean weighted by each quantity's duration; the plain mean where all durations are zero.
  ///
  /// Apple's words are "temporally weighted integration"; what they leave open is ours: ``WeightingPolicy``.
  public static let discreteTemporallyWeighted = AggregationStyle(rawValue: "discreteTemporallyWeighted")
  /// `10 · log₁₀(Σ dᵢ · 10^(Lᵢ/10) / Σ dᵢ)` with the durations d; equal weights where all are zero.
  public static let discreteEquivalentContinuousLevel = AggregationStyle(
    rawValue: "discreteEquivalentContinuousLevel")
  /// Of a type of which nothing but its identifier is known.
  public static let unknown = AggregationStyle(rawValue: "unknown")

  private static let known: Set<AggregationStyle> = [
    .cumulative, .discreteArithmetic, .discreteTemporallyWeighted, .discreteEquivalentContinuousLevel,
  ]

  /// Whether this program can compute it.
  public var isKnown: Bool { Self.known.contains(self) }

  /// Whether sums are meaningful, and averages are not.
  public var isCumulative: Bool { self == .cumulative }

  /// The name.
  public var description: String { rawValue }
}
