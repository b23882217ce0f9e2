/// How the quantities of a type are aggregated. A style has a version, since its meaning may change.
///
/// Styles are open: a store may hold one from a newer program. Its values can be read, but not averaged or summed.
public struct AggregationStyle: RawRepresentable, Hashable, Sendable, CustomStringConvertible, Codable {
  /// The name in the store's file.
  public let rawValue: String

  /// The style with that name, known or not.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The sum; a quantity that spans a border is divided by time.
  public static let cumulative = AggregationStyle(rawValue: "cumulative")
  /// The plain mean.
  public static let discreteArithmetic = AggregationStyle(rawValue: "discreteArithmetic")
  /// The mean weighted by each quantity's duration; the plain mean where all durations are zero.
  ///
  /// Apple calls it "temporally weighted integration". What that leaves open is defined by ``WeightingPolicy``.
  public static let discreteTemporallyWeighted = AggregationStyle(rawValue: "discreteTemporallyWeighted")
  /// `10 · log₁₀(Σ dᵢ · 10^(Lᵢ/10) / Σ dᵢ)` with the durations d; equal weights where all are zero.
  public static let discreteEquivalentContinuousLevel = AggregationStyle(
    rawValue: "discreteEquivalentContinuousLevel")
  /// The style of a type of which only the identifier is known.
  public static let unknown = AggregationStyle(rawValue: "unknown")

  private static let known: Set<AggregationStyle> = [
    .cumulative, .discreteArithmetic, .discreteTemporallyWeighted, .discreteEquivalentContinuousLevel,
  ]

  /// Whether this program can compute the style.
  public var isKnown: Bool { Self.known.contains(self) }

  /// Whether sums are meaningful and averages are not.
  public var isCumulative: Bool { self == .cumulative }

  /// The name.
  public var description: String { rawValue }
}
