/// The median of a short window that slides over a series.
enum RunningMedian {
  /// The median of the `window` values around each, an odd number; at the ends the series is reflected. There must be
  /// more values than half a window.
  static func medians(_ values: [Int], window: Int) -> [Int] {
    let half = window / 2
    let last = values.count - 1
    func value(_ index: Int) -> Int { values[index < 0 ? -index : index > last ? 2 * last - index : index] }
    var sorted = (-half...half).map(value).sorted()
    var result: [Int] = []
    result.reserveCapacity(values.count)
    result.append(sorted[half])
    for index in 0..<last {
      replace(value(index - half), with: value(index + half + 1), in: &sorted)
      result.append(sorted[half])
    }
    return result
  }

  private static func replace(_ old: Int, with new: Int, in sorted: inout [Int]) {
    guard old != new else { return }
    var place = 0
    while sorted[place] != old { place += 1 }
    while place + 1 < sorted.count, sorted[place + 1] < new {
      sorted[place] = sorted[place + 1]
      place += 1
    }
    while place > 0, sorted[place - 1] > new {
      sorted[place] = sorted[place - 1]
      place -= 1
    }
    sorted[place] = new
  }
}
