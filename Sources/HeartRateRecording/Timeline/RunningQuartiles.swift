/// The quartiles of a window that slides over whole numbers: counted, not sorted.
struct RunningQuartiles {
  private static let window = 91
  /// Values from here on are counted as this one. Quartiles of so many ticks are no heart's.
  private static let greatest = 8191

  private var counts = [UInt8](repeating: 0, count: greatest + 1)
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

    mutating func settle(_ counts: [UInt8]) {
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
    func doubled(_ counts: [UInt8]) -> Int {
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

  /// The quartiles of the 91 values around each; at the ends the series is reflected, or, where it is
  /// shorter than half a window, its end value is repeated. `values` are not negative, and not empty.
  static func spreads(_ values: [Int]) -> [Spread] {
    let half = window / 2
    let last = values.count - 1
    let reflects = values.count > half
    func value(_ index: Int) -> Int {
      let inside = index < 0 ? (reflects ? -index : 0) : index > last ? (reflects ? 2 * last - index : last) : index
      return min(values[inside], greatest)
    }
    var quartiles = RunningQuartiles()
    for index in -half..<half { quartiles.count(value(index), by: 1) }
    var result: [Spread] = []
    result.reserveCapacity(values.count)
    for index in values.indices {
      quartiles.count(value(index + half), by: 1)
      result.append(quartiles.spread())
      quartiles.count(value(index - half), by: -1)
    }
    return result
  }

  private mutating func count(_ value: Int, by change: Int) {
    counts[value] = UInt8(Int(counts[value]) + change)
    if value < low.value { low.below += change }
    if value < high.value { high.below += change }
  }

  private mutating func spread() -> Spread {
    low.settle(counts)
    high.settle(counts)
    let upper = high.doubled(counts)
    return Spread(upperQuartile: Double(upper) / 2, halfRange: Double(upper - low.doubled(counts)) / 4)
  }
}
