/// The quartiles of integers in a moving window, found by counting instead of sorting.
struct RunningQuartiles {
  private static let window = 91
  private static let half = window / 2
  /// Greater values are counted as this one: no heart has quartiles of so many ticks.
  private static let greatest = 8191

  private let values: [Int]
  /// The number of times that each value stands in the window.
  private var counts: [UInt8] = []
  /// The index at the middle of the window.
  private var centre = 0
  private var low = OrderStatistic(rank: 22)
  private var high = OrderStatistic(rank: 67)

  /// A value of the window by its rank.
  private struct OrderStatistic {
    let rank: Int
    var value = 0
    /// The number of the window's values that are smaller.
    var below = 0

    init(rank: Int) {
      self.rank = rank
    }

    mutating func adjust(_ counts: Span<UInt8>) {
      while below > rank {
        value -= 1
        below -= Int(counts[value])
      }
      while below + Int(counts[value]) <= rank {
        below += Int(counts[value])
        value += 1
      }
    }

    /// Twice the value half way between this one and the next in order: where numpy and others place a quartile of 91
    /// values.
    func doubled(_ counts: Span<UInt8>) -> Int {
      if below + Int(counts[value]) > rank + 1 { return 2 * value }
      var next = value + 1
      while counts[next] == 0 { next += 1 }
      return value + next
    }
  }

  /// The spread of the values in a window.
  struct Spread {
    var upperQuartile: Double
    /// Half the distance between the quartiles.
    var halfRange: Double
  }

  /// At the ends the series is reflected; if it is shorter than half a window, its end value is repeated. Only magnitudes
  /// count. At least one value is needed.
  init(_ values: [Int]) {
    self.values = values
  }

  /// The quartiles of the 91 values around `index`.
  mutating func spread(around index: Int) -> Spread {
    if counts.isEmpty {
      counts = [UInt8](repeating: 0, count: Self.greatest + 1)
      centre = index
      for offset in -Self.half...Self.half { count(at: index + offset, by: 1) }
    } else if abs(index - centre) > Self.window {
      // No value of the previous window remains.
      for offset in -Self.half...Self.half {
        count(at: centre + offset, by: -1)
        count(at: index + offset, by: 1)
      }
      centre = index
    }
    while centre < index {
      count(at: centre - Self.half, by: -1)
      centre += 1
      count(at: centre + Self.half, by: 1)
    }
    while centre > index {
      count(at: centre + Self.half, by: -1)
      centre -= 1
      count(at: centre - Self.half, by: 1)
    }
    let counts = counts
    low.adjust(counts.span)
    high.adjust(counts.span)
    let upper = high.doubled(counts.span)
    return Spread(upperQuartile: Double(upper) / 2, halfRange: Double(upper - low.doubled(counts.span)) / 4)
  }

  @inline(__always)
  private mutating func count(at index: Int, by change: Int) {
    let value = magnitude(at: index)
    counts[value] &+= UInt8(truncatingIfNeeded: change)
    if value < low.value { low.below += change }
    if value < high.value { high.below += change }
  }

  /// The magnitude of a value; beyond the ends, of the value that replaces it.
  @inline(__always)
  private func magnitude(at index: Int) -> Int {
    let last = values.count - 1
    guard index < 0 || index > last else { return min(abs(values[index]), Self.greatest) }
    let reflects = last >= Self.half
    let inside = index < 0 ? (reflects ? -index : 0) : reflects ? 2 * last - index : last
    return min(abs(values[inside]), Self.greatest)
  }
}

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

extension Array where Element: Comparable {
  /// The element that would be at `rank` if the array were sorted. Reorders the array (quickselect: "Find", C. A. R. Hoare
  /// 1961).
  ///
  /// For a median, each element is compared about three times; sorting compares it a dozen times.
  mutating func select(_ rank: Int) -> Element {
    var low = 0
    var high = count - 1
    while low < high {
      let pivot = self[rank]
      var left = low
      var right = high
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if right < rank { low = left }
      if rank < left { high = right }
    }
    return self[rank]
  }
}
