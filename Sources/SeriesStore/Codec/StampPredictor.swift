/// Predicts the next timestamp of a series from those before it. Reader and writer keep the same state, in integers that
/// wrap, so that every machine computes the same and no input can trap.
protocol StampPredictor {
  /// The predicted timestamp at that index, after the one of the last ``update(with:)``; called once for each.
  mutating func prediction(at index: Int) -> Int64

  /// Updates the state with the actual timestamp.
  mutating func update(with stamp: Int64)
}
