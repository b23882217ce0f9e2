/// The lowest of some values, as many as wanted.
struct LowestValues<Value: Comparable> {
  /// In order, of equal ones the one that came earlier first.
  private(set) var values: [Value]
  /// The last of ``values``.
  private(set) var greatest: Value
  private let beyond: Value

  /// `beyond` is at least as great as any value, and stands for those that have not come yet.
  init(count: Int, beyond: Value) {
    values = [Value](repeating: beyond, count: count)
    greatest = beyond
    self.beyond = beyond
  }

  @inline(__always)
  mutating func take(_ value: Value) {
    guard value < greatest else { return }
    var place = values.count - 1
    while place > 0, value < values[place - 1] {
      values[place] = values[place - 1]
      place -= 1
    }
    values[place] = value
    greatest = values[values.count - 1]
  }

  /// Forgets all values.
  mutating func removeAll() {
    for index in values.indices { values[index] = beyond }
    greatest = beyond
  }
}
