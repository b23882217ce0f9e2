/// For each packet, the smallest residuals of the two minutes from it on and of the two minutes before it.
struct FloorWindows {
  /// The smallest residual from each point on.
  let future: [Int64]
  /// The smallest residual before each point; meaningless for the first.
  let past: [Int64]
  /// Where the window before each point begins.
  let starts: [Int]

  init(_ points: Span<Residuals.Point>, _ parameters: TimelineParameters) {
    let (reach, least) = (parameters.stepMicroseconds, parameters.stepPackets)
    var end = 0
    future = Self.floors(points) { index in
      while end < points.count && (points[end].sent - points[index].sent <= reach || end - index < least) {
        end += 1
      }
      return index..<end
    }
    var starts = [Int](repeating: 0, count: points.count)
    var start = 0
    past = Self.floors(points) { index in
      while points[index].sent - points[start].sent > reach && index - start > least { start += 1 }
      starts[index] = start
      return start..<index
    }
    self.starts = starts
  }

  /// The smallest residual in the window of each point. Both ends of the windows only move forward.
  @inline(__always)
  private static func floors(_ points: Span<Residuals.Point>, window: (Int) -> Range<Int>) -> [Int64] {
    var result = [Int64](repeating: .max, count: points.count)
    var floors = result.mutableSpan
    // Two-stack minimum: up to the middle the minimum from each point on is stored, behind it only the minimum of all.
    var smallestFrom = [Int64](repeating: .max, count: points.count)
    var front = smallestFrom.mutableSpan
    var middle = 0
    var next = 0
    var back = Int64.max
    for index in floors.indices {
      let window = window(index)
      while next < window.upperBound {
        back = min(back, points[next].residual)
        next += 1
      }
      if window.lowerBound >= middle {
        // The window has left the front part: everything in it becomes the new front part.
        middle = next
        back = .max
        var smallest = Int64.max
        for point in stride(from: middle - 1, through: window.lowerBound, by: -1) {
          smallest = min(smallest, points[point].residual)
          front[point] = smallest
        }
      }
      floors[index] = window.lowerBound < middle ? min(front[window.lowerBound], back) : back
    }
    return result
  }
}
