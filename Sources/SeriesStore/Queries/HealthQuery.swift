/// A question to the store: answered once, or again after every change.
public protocol HealthQuery: Sendable {
  associatedtype Output: Sendable

  /// The answer now, from one unchanging state of the file.
  func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Output>

  /// Whether the answer may be another one after that change: a live query is not woken by others. Yes where nothing else is said.
  func isConcerned(by change: StoreChange) -> Bool

  /// What a live query asks after `answer`, and whether at once, because there is more already: the same again after the next
  /// change, where nothing else is said.
  func next(after answer: Output) -> (query: Self, isDue: Bool)
}

extension HealthQuery {
  /// Yes.
  public func isConcerned(by change: StoreChange) -> Bool { true }

  /// The same after the next change.
  public func next(after answer: Output) -> (query: Self, isDue: Bool) { (self, false) }

  /// The answer now, and another one after every change that concerns the query, until the loop is left.
  ///
  /// A reader that is slower than the changes skips answers about the present state, never the last one. A ``ChangeQuery``
  /// has each change in one answer: what came meanwhile is in the next.
  public func results(for store: HealthStore) -> LiveResults<Self> {
    LiveResults(query: self, store: store)
  }
}

/// An answer, with the state of the store that it was taken from.
public struct Snapshot<Value: Sendable>: Sendable {
  /// The answer.
  public var value: Value
  /// The number of the last change that it has seen.
  public var change: Int64

  /// Takes every part as it is.
  public init(value: Value, change: Int64) {
    self.value = value
    self.change = change
  }
}

extension Snapshot: Equatable where Value: Equatable {}
