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
