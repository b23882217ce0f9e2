/// A question about samples, as a value: the same for a store's file and for a program that hands it on.
///
/// Whoever answers it refines this protocol; a `HealthStore` answers every `StoreQuery`.
public protocol HealthQuery: Sendable {
  /// What is answered.
  associatedtype Output: Sendable

  /// Whether the change may alter the answer; otherwise a live query is not woken. True by default.
  func isConcerned(by change: StoreChange) -> Bool

  /// What a live query asks after `answer`, and whether at once because there is more already. By default the same query
  /// after the next change.
  func next(after answer: Output) -> (query: Self, isDue: Bool)
}

extension HealthQuery {
  /// True.
  public func isConcerned(by change: StoreChange) -> Bool { true }

  /// The same query after the next change.
  public func next(after answer: Output) -> (query: Self, isDue: Bool) { (self, false) }
}
