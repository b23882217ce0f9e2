/// Rule 4c: where the floor of the residuals rises permanently, the sensor lost intervals silently. Where it falls
/// permanently, the sensor sent surplus intervals, and nothing shows which ones.
///
/// At each packet the floor of the next two minutes (at least 60 packets) is compared with the floor of the last two:
/// their second smallest residuals, since one packet may be early. The rise must exceed 1.25 intervals. And it must be
/// unlikely that n packets all lie a step above a floor that they exceed by μ on average: n · step / μ > 15. A rise
/// that is undone within two minutes was latency. Where fewer packets follow, μ is the longest latency known
/// (``TimelineParameters/lastingLatency``).
struct FloorSteps {
  private let intervals: SessionIntervals
  private let parameters: TimelineParameters
  /// The beginnings of new runs, in order.
  private(set) var starts: [RunStart] = []

  init(_ residuals: Residuals, _ intervals: SessionIntervals) {
    self.intervals = intervals
    parameters = intervals.parameters
    let all = residuals.points.span
    for (index, range) in residuals.ranges.enumerated() where !residuals.starts[index].isTimeless && !range.isEmpty {
      search(all.extracting(range), residuals.starts[index].beat..<residuals.end(ofRun: index, intervals))
    }
  }

  private mutating func search(_ stretch: Span<Residuals.Point>, _ beats: Range<Int>) {
    let floors = FloorWindows(stretch, parameters)
    // The steps found in this stretch: the beat, and the rise of the floor.
    var steps: [(beat: Int, rise: Int64)] = []
    // The beginning of the run after the last step, and the smallest residuals since.
    var first = 0
    var lowest = TwoLowest()
    lowest.insert(stretch[0].residual)
    var point = 1
    while point < stretch.count {
      let past =
        floors.starts[point] < first ? lowest.floor(of: point - first, parameters.fewestForSecond) : floors.past[point]
      let step = floors.future[point] - past
      // No local interval is below 300 ms, so most packets need no closer look.
      if abs(step) > 375_000, abs(step) > intervals.localInterval(at: stretch[point].beat, within: beats) * 5 / 4 {
        let confirmed =
          step > 0
          ? rise(of: step, at: point, since: first, floor: past, stretch, floors)
          : fall(of: -step, at: point, since: first, floor: past, stretch, floors)
        if let confirmed {
          let beat = stretch[confirmed - 1].beat + 1
          if beat < beats.upperBound { steps.append((beat, step)) }
          first = confirmed
          lowest = TwoLowest()
          lowest.insert(stretch[confirmed].residual)
          point = confirmed + 1
          continue
        }
      }
      lowest.insert(stretch[point].residual)
      point += 1
    }
    // A rise that an equal fall undoes was latency, however long it lasted.
    var index = 0
    while index < steps.count {
      let step = steps[index]
      index += 1
      if step.rise > 0, index < steps.count, abs(step.rise + steps[index].rise) < parameters.undoneMicroseconds {
        index += 1
        continue
      }
      starts.append(RunStart(beat: step.beat, reason: step.rise > 0 ? .step : .surplus))
    }
  }

  /// The point at which beats were lost, if the rise seen at `point` is permanent.
  private func rise(
    of step: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>,
    _ floors: FloorWindows
  ) -> Int? {
    // Packets that came together are one point, but count as evidence one by one.
    let after = stretch[stretch.count - 1].packet - stretch[point].packet + 1
    guard stretch.count - point >= parameters.stepPackets else {
      // So few packets do not show how long latencies last.
      let lasting = intervals.isBatching ? parameters.batchedLatency : parameters.lastingLatency
      let isLonger = Double(after) * Double(step) > parameters.stepConfirmation * lasting
      return isLonger ? locateRise(point, since: first, floor: floor, stretch, floors) : nil
    }
    guard isConfirmed(step, at: point, since: first, floor: floor, stretch) else { return nil }
    return locateRise(point, since: first, floor: floor, stretch, floors)
  }

  private func isConfirmed(
    _ step: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>
  ) -> Bool {
    let low = max(first, point - parameters.stepPackets)
    var sum: Int64 = 0
    for index in low..<point { sum += stretch[index].residual - floor }
    let excess = max(Double(sum) / Double(point - low), 1000)
    return Double(parameters.stepPackets) * Double(step) / excess > parameters.stepConfirmation
  }

  /// The point of a fall seen at `point`, if it is permanent: the first packet that lies this far below the floor. The
  /// floor of two minutes falls before that packet, so the fall must be seen again after it.
  private func fall(
    of step: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>,
    _ floors: FloorWindows
  ) -> Int? {
    var place = point
    while place < stretch.count, stretch[place].residual > floor - step / 2 { place += 1 }
    let later = place + parameters.stepPackets
    guard place - first >= parameters.stepPackets, later < stretch.count, floors.future[later] < floor - step / 2,
      isConfirmed(step, at: place, since: first, floor: floor - step, stretch)
    else { return nil }
    return place
  }

  /// Locates the loss behind a rise that was confirmed at `point`: where the product of rise and number of packets above it
  /// is greatest.
  ///
  /// The place of the loss is not always `point`. Late packets before the loss can lie above the new floor; and where
  /// intervals become shorter, a rise may exceed them only some time after the loss.
  private func locateRise(
    _ point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>, _ floors: FloorWindows
  ) -> Int {
    let end = min(point + parameters.stepPackets, floors.future.count)
    var best = point
    var greatest = -Double.infinity
    for index in max(first + 1, point - parameters.stepPackets)..<min(point + parameters.stepReach, end) {
      let evidence = Double(end - index) * Double(floors.future[index] - floor)
      if evidence > greatest { (best, greatest) = (index, evidence) }
    }
    // The floor of many is their second smallest, so one packet from before the loss may still follow.
    let middle = floor + (floors.future[best] - floor) / 2
    for index in best..<min(best + parameters.stepReach, end) where stretch[index].residual < middle {
      best = index + 1
    }
    return min(best, end - 1)
  }
}

/// For each packet, the floor of the residuals of the two minutes from it on and of the two minutes before it.
struct FloorWindows {
  /// The floor from each point on.
  let future: [Int64]
  /// The floor before each point; meaningless for the first.
  let past: [Int64]
  /// The start of the window before each point.
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
