/// How quantities of a type become one figure. A style is data with a version, since what a style means may change.
public enum AggregationStyle: String, Hashable, Sendable, CaseIterable {
  /// The sum; a quantity that straddles a border is divided by time.
  case cumulative
  /// The plain mean.
  case discreteArithmetic
  /// The mean weighted by each quantity's duration; the plain mean where all durations are zero.
  ///
  /// Apple's words are "temporally weighted integration"; what they leave open is ours: ``WeightingPolicy``.
  case discreteTemporallyWeighted
  /// `10 · log₁₀(Σ dᵢ · 10^(Lᵢ/10) / Σ dᵢ)` with the durations d; equal weights where all are zero.
  case discreteEquivalentContinuousLevel

  /// Whether sums are meaningful, and averages are not.
  public var isCumulative: Bool { self == .cumulative }
}
