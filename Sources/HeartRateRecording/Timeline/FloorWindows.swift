/// For each packet, the floor of the residuals of the two minutes from it on and of the two minutes before it.
struct FloorWindows {
  /// The floor from each point on.
  let future: [Int64]
  /// The floor before each point; meaningless for the first.
  let past: [Int64]
  /// Where the window before each point begins.
  let starts: [Int]

  init(_ points: Span<Residuals.Point>, _ parameters: TimelineParameters) {
    let (reach, least) = (parameters.stepMicroseconds, parameters.stepPackets)
    var end = 0
    future = Self.floors(points, parameters.fewestForSecond) { index in
      while end < points.count && (points[end].sent - points[index].sent <= reach || end - index < least) {
        end += 1
      }
      return index..<end
    }
    var starts = [Int](repeating: 0, count: points.count)
    var start = 0
    past = Self.floors(points, parameters.fewestForSecond) { index in
      while points[index].sent - points[start].sent > reach && index - start > least { start += 1 }
      starts[index] = start
      return start..<index
    }
    self.starts = starts
  }

  /// The floor of each point's window: its smallest residual, or the second smallest where there are many, since one
  /// packet may be early. Both ends of the windows only move forward.
  @inline(__always)
  private static func floors(
    _ points: Span<Residuals.Point>, _ fewestForSecond: Int, window: (Int) -> Range<Int>
  ) -> [Int64] {
    var result = [Int64](repeating: .max, count: points.count)
    var floors = result.mutableSpan
    // Two-stack minimum: up to the middle the minimum from each point on is stored, behind it only the minimum of all.
    var lowestFrom = [TwoLowest](repeating: TwoLowest(), count: points.count)
    var front = lowestFrom.mutableSpan
    var middle = 0
    var next = 0
    var back = TwoLowest()
    for index in floors.indices {
      let window = window(index)
      while next < window.upperBound {
        back.insert(points[next].residual)
        next += 1
      }
      if window.lowerBound >= middle {
        // The window has left the front part: everything in it becomes the new front part.
        middle = next
        back = TwoLowest()
        var lowest = TwoLowest()
        for point in stride(from: middle - 1, through: window.lowerBound, by: -1) {
          lowest.insert(points[point].residual)
          front[point] = lowest
        }
      }
      var all = back
      if window.lowerBound < middle { all.insert(front[window.lowerBound]) }
      floors[index] = all.floor(of: window.count, fewestForSecond)
    }
    return result
  }
}

/// The two smallest of some residuals.
struct TwoLowest {
  private(set) var first = Int64.max
  private(set) var second = Int64.max

  @inline(__always)
  mutating func insert(_ value: Int64) {
    if value < first { (first, second) = (value, first) } else if value < second { second = value }
  }

  @inline(__always)
  mutating func insert(_ other: TwoLowest) {
    insert(other.first)
    insert(other.second)
  }

  /// The smallest of so many residuals, or the second smallest of many.
  @inline(__always)
  func floor(of count: Int, _ fewestForSecond: Int) -> Int64 { count >= fewestForSecond ? second : first }
}
