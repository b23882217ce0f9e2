/// A query that can be answered once, or again after every change.
public protocol HealthQuery: Sendable {
  associatedtype Output: Sendable

  /// Answers the query from one unchanging state of the file.
  func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Output>

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

  /// The present answer, and another one after every change that concerns the query, until the loop is left.
  ///
  /// A reader that is slower than the changes misses intermediate answers about the present state, but never the last one.
  /// The answers to a ``ChangeQuery`` have each change exactly once.
  public func results(for store: HealthStore) -> LiveResults<Self> {
    LiveResults(query: self, store: store)
  }
}

/// An answer, with the state of the store from which it was taken.
public struct Snapshot<Value: Sendable>: Sendable {
  /// The answer.
  public var value: Value
  /// The number of the last change before that state.
  public var change: Int64

  /// A snapshot with the given parts.
  public init(value: Value, change: Int64) {
    self.value = value
    self.change = change
  }
}

extension Snapshot: Equatable where Value: Equatable {}
