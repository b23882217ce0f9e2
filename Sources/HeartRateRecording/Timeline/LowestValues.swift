/// Keeps the lowest values of a sequence, up to a given number.
struct LowestValues<Value: Comparable> {
  /// Sorted; of equal values the earlier one first.
  private(set) var values: [Value]
  /// The last of ``values``.
  private(set) var greatest: Value
  private let beyond: Value

  /// `beyond` must be at least as great as any value. It stands for values that have not been inserted yet.
  init(count: Int, beyond: Value) {
    values = [Value](repeating: beyond, count: count)
    greatest = beyond
    self.beyond = beyond
  }

  @inline(__always)
  mutating func insert(_ value: Value) {
    guard value < greatest else { return }
    var place = values.count - 1
    while place > 0, value < values[place - 1] {
      values[place] = values[place - 1]
      place -= 1
    }
    values[place] = value
    greatest = values[values.count - 1]
  }

  /// Removes all values.
  mutating func removeAll() {
    for index in values.indices { values[index] = beyond }
    greatest = beyond
  }
}
