/// The quartiles of integers in a moving window, found by counting instead of sorting.
struct RunningQuartiles {
  private static let window = 91
  private static let half = window / 2
  /// Greater values are counted as this one: no heart has quartiles of so many ticks.
  private static let greatest = 8191

  private let values: [Int]
  /// How often each value stands in the window.
  private var counts: [UInt8] = []
  /// The index at the middle of the window.
  private var centre = 0
  private var low = OrderStatistic(rank: 22)
  private var high = OrderStatistic(rank: 67)

  /// A value of the window by its rank.
  private struct OrderStatistic {
    let rank: Int
    var value = 0
    /// How many of the window's values are smaller.
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
