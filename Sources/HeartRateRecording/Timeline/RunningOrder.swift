/// The values of a window that slides over a series, kept sorted.
struct RunningOrder {
  private var sorted: [Double]

  /// Applies `transform` to the window around each value; at the ends the series is reflected, or, where it is shorter
  /// than half a window, its end value is repeated. `values` must not be empty, and `window` is odd.
  static func map(_ values: [Double], window: Int, _ transform: (RunningOrder) -> Double) -> [Double] {
    let half = window / 2
    let last = values.count - 1
    let reflects = values.count > half
    var padded: [Double] = []
    padded.reserveCapacity(values.count + 2 * half)
    for index in 0..<half { padded.append(values[reflects ? half - index : 0]) }
    padded += values
    for index in 1...half { padded.append(values[reflects ? last - index : last]) }
    var order = RunningOrder(sorted: padded[..<window].sorted())
    var result: [Double] = []
    result.reserveCapacity(values.count)
    result.append(transform(order))
    for index in 0..<last {
      order.replace(padded[index], with: padded[index + window])
      result.append(transform(order))
    }
    return result
  }

  private init(sorted: [Double]) {
    self.sorted = sorted
  }

  /// The middle value.
  var median: Double { sorted[sorted.count / 2] }

  /// Linear between the two nearest values.
  func quantile(_ share: Double) -> Double {
    let position = share * Double(sorted.count - 1)
    let low = Int(position)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
  }

  /// Takes `old`, which must be there, out of the window and `new` into it.
  private mutating func replace(_ old: Double, with new: Double) {
    var low = 0
    var high = sorted.count - 1
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < old { low = middle + 1 } else { high = middle }
    }
    if new > old {
      while low + 1 < sorted.count, sorted[low + 1] < new {
        sorted[low] = sorted[low + 1]
        low += 1
      }
    } else {
      while low > 0, sorted[low - 1] > new {
        sorted[low] = sorted[low - 1]
        low -= 1
      }
    }
    sorted[low] = new
  }
}
