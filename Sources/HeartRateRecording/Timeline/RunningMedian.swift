/// The median of a short window that slides over a series.
enum RunningMedian {
  /// The medians of the `window` values around each value. `window` is odd, the series is reflected at its ends, and there
  /// must be more values than half a window.
  static func medians(_ values: [Int], window: Int) -> [Int] {
    let half = window / 2
    let last = values.count - 1
    func value(_ index: Int) -> Int { values[index < 0 ? -index : index > last ? 2 * last - index : index] }
    var sorted = (-half...half).map(value).sorted()
    var result = [Int](repeating: sorted[half], count: values.count)
    var ordered = sorted.mutableSpan
    for index in 0..<last {
      let isInside = index >= half && index + half < last
      let old = isInside ? values[index - half] : value(index - half)
      replace(old, with: isInside ? values[index + half + 1] : value(index + half + 1), in: &ordered)
      result[index + 1] = ordered[half]
    }
    return result
  }

  @inline(__always)
  private static func replace(_ old: Int, with new: Int, in sorted: inout MutableSpan<Int>) {
    guard old != new else { return }
    let half = sorted.count / 2
    var place = old > sorted[half] ? half + 1 : 0
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
