/// The quartiles of a window that is moved over whole numbers: counted, not sorted.
struct RunningQuartiles {
  private static let window = 91
  private static let half = window / 2
  /// Values from here on are counted as this one. Quartiles of so many ticks are no heart's.
  private static let greatest = 8191

  private let values: [Int]
  /// How often each value stands in the window.
  private var counts: [UInt8] = []
  /// The middle of the window.
  private var centre = 0
  private var low = OrderStatistic(rank: 22)
  private var high = OrderStatistic(rank: 67)

  /// One of the window's values by its place in order.
  private struct OrderStatistic {
    let rank: Int
    var value = 0
    /// How many of the window's values are smaller.
    var below = 0

    init(rank: Int) {
      self.rank = rank
    }

    mutating func settle(_ counts: Span<UInt8>) {
      while below > rank {
        value -= 1
        below -= Int(counts[value])
      }
      while below + Int(counts[value]) <= rank {
        below += Int(counts[value])
        value += 1
      }
    }

    /// Half way between this value and the next in order: where numpy and the like see a quartile of 91 values.
    func doubled(_ counts: Span<UInt8>) -> Int {
      if below + Int(counts[value]) > rank + 1 { return 2 * value }
      var next = value + 1
      while counts[next] == 0 { next += 1 }
      return value + next
    }
  }

  /// What a window says of the values in it.
  struct Spread {
    var upperQuartile: Double
    /// Half the distance between the quartiles.
    var halfRange: Double
  }

  /// At the ends the series is reflected, or, where it is shorter than half a window, its end value is repeated. Only the
  /// magnitudes count. There must be one value at least.
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
      // All of the window is new.
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
    low.settle(counts.span)
    high.settle(counts.span)
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

  /// The magnitude of a value, or of what stands in for it beyond the ends.
  @inline(__always)
  private func magnitude(at index: Int) -> Int {
    let last = values.count - 1
    guard index < 0 || index > last else { return min(abs(values[index]), Self.greatest) }
    let reflects = last >= Self.half
    let inside = index < 0 ? (reflects ? -index : 0) : reflects ? 2 * last - index : last
    return min(abs(values[inside]), Self.greatest)
  }
}
