extension TimelinePass {
  /// Rule 4c: where the floor of the residuals rises for good, the sensor has lost intervals without a word.
  ///
  /// A fall for good means that the sensor sent surplus intervals; it is counted, since nothing tells which.
  ///
  /// At each packet the smallest residual of the next two minutes (60 packets at least) is compared with the smallest of
  /// the last. The rise must exceed 1.25 intervals, and n packets that all lie a step above a floor which they exceed by
  /// μ on average must be unlikely: n · step / μ > 15. What is undone within two minutes was latency. Where fewer packets
  /// follow, μ is the longest latency known: 20 packets tell a loss of 12 s, one alone tells one of 4 minutes.
  mutating func stepStarts(_ residuals: Residuals) -> [RunStart] {
    var result: [RunStart] = []
    let all = residuals.points.span
    for (index, range) in residuals.ranges.enumerated() where !starts[index].isFiller {
      let stretch = all.extracting(range)
      let beats = beats(ofRun: index)
      guard !stretch.isEmpty else { continue }
      let floors = FloorWindows(stretch, parameters)
      // Where the run begins after the step that was found last, and the smallest residual since.
      var first = 0
      var floorSinceFirst = stretch[0].residual
      var point = 1
      var isFalling = false
      while point < stretch.count {
        let past = floors.starts[point] < first ? floorSinceFirst : floors.past[point]
        let step = floors.future[point] - past
        // No interval is taken for less than 300 ms, so that most packets need no closer look.
        if isFalling != (step < -375_000) {
          isFalling = !isFalling && isFall(by: -step, at: point, since: first, floor: past, stretch, beats)
          if isFalling { surplusSteps += 1 }
        }
        if step > 375_000, step > localInterval(at: stretch[point].beat, within: beats) * 5 / 4,
          isConfirmed(step, at: point, since: first, floor: past, stretch)
        {
          let settled = settle(point, since: first, floor: past, floors)
          let beat = stretch[settled - 1].beat + 1
          if beat < beats.upperBound { result.append(RunStart(beat: beat, reason: .step)) }
          first = settled
          isFalling = false
          floorSinceFirst = stretch[settled].residual
          point = settled + 1
          continue
        }
        floorSinceFirst = min(floorSinceFirst, stretch[point].residual)
        point += 1
      }
    }
    return result
  }

  private func isFall(
    by fall: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>, _ beats: Range<Int>
  ) -> Bool {
    guard point - first >= parameters.stepPackets else { return false }
    let threshold = localInterval(at: stretch[point].beat, within: beats) * 5 / 4
    return fall > threshold && isConfirmed(fall, at: point, since: first, floor: floor, stretch)
  }

  private func isConfirmed(
    _ step: Int64, at point: Int, since first: Int, floor: Int64, _ stretch: Span<Residuals.Point>
  ) -> Bool {
    let after = stretch.count - point
    guard after >= parameters.stepPackets else {
      // What latencies there are is not known from so few: they are taken for as long as any seen.
      return Double(after) * Double(step) > parameters.stepConfirmation * parameters.greatestLatency
    }
    let low = max(first, point - parameters.stepPackets)
    var sum: Int64 = 0
    for index in low..<point { sum += stretch[index].residual - floor }
    let excess = max(Double(sum) / Double(point - low), 1000)
    return Double(parameters.stepPackets) * Double(step) / excess > parameters.stepConfirmation
  }

  /// Where the hole of a rise found at `point` lies: where as many packets as possible lie above as great a rise as
  /// possible, which is what it was confirmed by.
  ///
  /// Not always at `point`: late packets before the hole can lie above the new floor, and where intervals become shorter
  /// a rise can exceed them only some time after it.
  private func settle(_ point: Int, since first: Int, floor: Int64, _ floors: FloorWindows) -> Int {
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
