/// The lowest of some values, as many as wanted.
struct LowestValues {
  /// In order.
  private var values: [Int64]

  init(count: Int) {
    values = [Int64](repeating: .max, count: count)
  }

  /// The greatest of them; the greatest of all numbers while there are too few.
  @inline(__always)
  var greatest: Int64 { values[values.count - 1] }

  @inline(__always)
  mutating func take(_ value: Int64) {
    guard value < greatest else { return }
    var place = values.count - 1
    while place > 0, values[place - 1] > value {
      values[place] = values[place - 1]
      place -= 1
    }
    values[place] = value
  }
}
