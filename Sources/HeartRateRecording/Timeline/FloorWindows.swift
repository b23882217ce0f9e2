/// For each packet the smallest residuals of two windows: from it on, and up to it. Each is two minutes long.
struct FloorWindows {
  /// The smallest residual from each point on.
  let future: [Int64]
  /// The smallest residual before each point; meaningless for the first.
  let past: [Int64]
  /// Where the window before each point begins.
  let starts: [Int]

  init(_ points: Span<Residuals.Point>, _ parameters: TimelineParameters) {
    var ends = [Int](repeating: points.count, count: points.count)
    var end = 0
    for index in points.indices {
      while end < points.count
        && (points[end].arrival - points[index].arrival <= parameters.stepMicroseconds
          || end - index < parameters.stepPackets)
      {
        end += 1
      }
      ends[index] = end
    }
    var starts = [Int](repeating: 0, count: points.count)
    var start = 0
    for index in points.indices {
      while points[index].arrival - points[start].arrival > parameters.stepMicroseconds
        && index - start > parameters.stepPackets
      {
        start += 1
      }
      starts[index] = start
    }
    future = Self.floors(points) { $0..<ends[$0] }
    past = Self.floors(points) { starts[$0]..<$0 }
    self.starts = starts
  }

  /// The smallest residual of the window of each point. Neither end of the windows ever moves back.
  @inline(__always)
  private static func floors(_ points: Span<Residuals.Point>, window: (Int) -> Range<Int>) -> [Int64] {
    var result = [Int64](repeating: .max, count: points.count)
    // The points that may yet be the smallest of a window, from smaller to greater ones, behind those that are past.
    var candidates = [Int](repeating: 0, count: points.count)
    var queue = candidates.mutableSpan
    var floors = result.mutableSpan
    var head = 0
    var tail = 0
    var next = 0
    for index in floors.indices {
      let window = window(index)
      while next < window.upperBound {
        while tail > head, points[queue[tail - 1]].residual >= points[next].residual { tail -= 1 }
        queue[tail] = next
        tail += 1
        next += 1
      }
      while head < tail, queue[head] < window.lowerBound { head += 1 }
      if head < tail { floors[index] = points[queue[head]].residual }
    }
    return result
  }
}
