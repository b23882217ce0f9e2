/// Rule 4c: where the floor of the residuals rises for good the sensor has lost intervals without a word; where it falls for
/// good, it sent surplus ones and nothing tells which.
///
/// At each packet the smallest residual of the next two minutes (60 packets at least) is compared with the smallest of
/// the last. The rise must exceed 1.25 intervals, and n packets that all lie a step above a floor which they exceed by
/// μ on average must be unlikely: n · step / μ > 15. What is undone within two minutes was latency. Where fewer packets
/// follow, μ is as long as latencies are seen to last (``TimelineParameters/lastingLatency``).
struct FloorSteps {
  private let intervals: SessionIntervals
  private let parameters: TimelineParameters
  /// Where runs begin anew, in order.
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
    // What was found here: the beat, and by how much the floor rises.
    var steps: [(beat: Int, rise: Int64)] = []
    // Where the run begins after the step that was found last, and the smallest residual since.
    var first = 0
    var floorSinceFirst = stretch[0].residual
    var point = 1
    while point < stretch.count {
      let past = floors.starts[point] < first ? floorSinceFirst : floors.past[point]
      let step = floors.future[point] - past
      // No interval is taken for less than 300 ms, so that most packets need no closer look.
      if abs(step) > 375_000, abs(step) > intervals.localInterval(at: stretch[point].beat, within: beats) * 5 / 4 {
        let settled =
          step > 0
          ? rise(of: step, at: point, since: first, floor: past, stretch, floors)
          : fall(of: -step, at: point, since: first, floor: past, stretch, floors)
        if let settled {
          let beat = stretch[settled - 1].beat + 1
          if beat < beats.upperBound { steps.append((beat, step)) }
          first = settled
          floorSinceFirst = stretch[settled].residual
          point = settled + 1
          continue
        }
      }
      floorSinceFirst = min(floorSinceFirst, stretch[point].residual)
      point += 1
    }
    // A rise that a fall of the same size undoes was a spell of latency, however long it lasted.
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

  /// Where the hole of a rise at `point` lies, if it is one for good.
  private func rise(
    of step: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>,
    _ floors: FloorWindows
  ) -> Int? {
    // Of packets that came together one counts as a point, and all as evidence.
    let after = stretch[stretch.count - 1].packet - stretch[point].packet + 1
    guard stretch.count - point >= parameters.stepPackets else {
      // What latencies there are is not known from so few.
      let lasting = intervals.isBatching ? parameters.batchedLatency : parameters.lastingLatency
      let isLonger = Double(after) * Double(step) > parameters.stepConfirmation * lasting
      return isLonger ? settleRise(point, since: first, floor: floor, floors) : nil
    }
    guard isConfirmed(step, at: point, since: first, floor: floor, stretch) else { return nil }
    return settleRise(point, since: first, floor: floor, floors)
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

  /// Where a fall that is seen from `point` lies, if it is one for good: at the first packet that lies below the floor so
  /// far. The floor of two minutes sees it before it comes, and it must be seen again later.
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

  /// Where the hole of a rise found at `point` lies: where as many packets as possible lie above as great a rise as
  /// possible, which is what it was confirmed by.
  ///
  /// Not always at `point`: late packets before the hole can lie above the new floor, and where intervals become shorter
  /// a rise can exceed them only some time after it.
  private func settleRise(_ point: Int, since first: Int, floor: Int64, _ floors: FloorWindows) -> Int {
    let end = min(point + parameters.stepPackets, floors.future.count)
    var best = point
    var greatest = -Double.infinity
    for index in max(first + 1, point - parameters.stepPackets)..<min(point + parameters.stepReach, end) {
      let evidence = Double(end - index) * Double(floors.future[index] - floor)
      if evidence > greatest { (best, greatest) = (index, evidence) }
    }
    return best
  }
}
