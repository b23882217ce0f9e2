/// What the next stamp of a series is expected to be, from those before it. Reader and writer keep the same state, in integers
/// that wrap, so that every machine computes the same and no input can trap.
protocol StampPredictor {
  /// The stamp at that place of the series, which follows the one of the last ``update(with:)``; asked once for each.
  mutating func prediction(at index: Int) -> Int64

  /// Follows the stamp that came.
  mutating func update(with stamp: Int64)
}
