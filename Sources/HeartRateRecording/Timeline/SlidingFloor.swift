/// The smallest value of a window that only moves forward: amortised constant time.
struct SlidingFloor {
  private var indices: [Int] = []
  private var values: [Int64] = []
  private var head = 0

  /// Meaningless while empty.
  var value: Int64 { head < values.count ? values[head] : .max }

  mutating func take(_ value: Int64, at index: Int) {
    while values.count > head, let last = values.last, last >= value {
      values.removeLast()
      indices.removeLast()
    }
    values.append(value)
    indices.append(index)
  }

  mutating func drop(before index: Int) {
    while head < indices.count && indices[head] < index { head += 1 }
    if head > 1024 {
      indices.removeFirst(head)
      values.removeFirst(head)
      head = 0
    }
  }
}

/// For each packet the smallest residual of the next two minutes, and where the last two begin.
struct FloorWindows {
  /// The smallest residual from each point on, over the window.
  private(set) var future: [Int64]
  private let starts: [Int]

  init(_ points: [Residuals.Point], _ parameters: TimelineParameters) {
    future = [Int64](repeating: .max, count: points.count)
    var starts = [Int](repeating: 0, count: points.count)
    var window = SlidingFloor()
    var end = 0
    for index in points.indices {
      while end < points.count
        && (points[end].arrival - points[index].arrival <= parameters.stepMicroseconds
          || end - index < parameters.stepPackets)
      {
        window.take(points[end].residual, at: end)
        end += 1
      }
      window.drop(before: index)
      future[index] = window.value
    }
    var start = 0
    for index in points.indices {
      while points[index].arrival - points[start].arrival > parameters.stepMicroseconds
        && index - start > parameters.stepPackets
      {
        start += 1
      }
      starts[index] = start
    }
    self.starts = starts
  }

  /// The first point of the window before `point`, but none before `first`.
  func pastStart(of point: Int, since first: Int) -> Int {
    max(starts[point], first)
  }
}
