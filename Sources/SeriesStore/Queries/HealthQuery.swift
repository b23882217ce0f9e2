/// A question to the store: answered once, or again after every change.
public protocol HealthQuery: Sendable {
  associatedtype Output: Sendable

  /// The answer now, from one unchanging state of the file.
  func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Output>
}

extension HealthQuery {
  /// The answer now, and another one after every change to the store, until the loop is left.
  ///
  /// A reader that is slower than the changes skips answers, never the last one.
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
