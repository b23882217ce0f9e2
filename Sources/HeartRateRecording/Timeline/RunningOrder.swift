/// The values of a window that slides over a series, kept sorted.
struct RunningOrder {
  private var sorted: [Double] = []

  /// Applies `transform` to the window around each value; at the ends the series is reflected, or, where it is shorter
  /// than half a window, its end value is repeated.
  static func map(_ values: [Double], window: Int, _ transform: (RunningOrder) -> Double) -> [Double] {
    let half = window / 2
    let reflects = values.count > half
    func value(_ index: Int) -> Double {
      let last = values.count - 1
      if index < 0 { return values[reflects ? -index : 0] }
      if index > last { return values[reflects ? 2 * last - index : last] }
      return values[index]
    }
    var order = RunningOrder()
    order.sorted.reserveCapacity(window + 1)
    for index in -half..<half { order.insert(value(index)) }
    var result: [Double] = []
    result.reserveCapacity(values.count)
    for index in values.indices {
      order.insert(value(index + half))
      result.append(transform(order))
      order.remove(value(index - half))
    }
    return result
  }

  /// The middle value of an odd window.
  var median: Double { sorted[sorted.count / 2] }

  /// Linear between the two nearest values.
  func quantile(_ share: Double) -> Double {
    let position = share * Double(sorted.count - 1)
    let low = Int(position)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
  }

  private func position(of value: Double) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func insert(_ value: Double) {
    sorted.insert(value, at: position(of: value))
  }

  private mutating func remove(_ value: Double) {
    sorted.remove(at: position(of: value))
  }
}
