extension TimelinePass {
  /// Rule 4c: where the floor of the residuals rises for good, the sensor has lost intervals without a word.
  ///
  /// A fall for good means that the sensor sent surplus intervals; it is counted, since nothing tells which.
  ///
  /// At each packet the smallest residual of the next two minutes (60 packets at least) is compared with the smallest of
  /// the last. The rise must exceed 1.25 intervals, and n packets that all lie a step above a floor which they exceed by
  /// μ on average must be unlikely: n · step / μ > 15. What is undone within two minutes was latency.
  mutating func stepStarts(_ residuals: Residuals) -> [RunStart] {
    var result: [RunStart] = []
    let all = residuals.points.span
    for (index, range) in residuals.ranges.enumerated() where !starts[index].isFiller {
      let stretch = all.extracting(range)
      let beats = beats(ofRun: index)
      guard stretch.count > parameters.stepPackets else { continue }
      let floors = FloorWindows(stretch, parameters)
      // Where the run begins after the step that was found last, and the smallest residual since.
      var first = 0
      var floorSinceFirst = stretch[0].residual
      var point = 1
      var isFalling = false
      while point + parameters.stepPackets <= stretch.count {
        let past = floors.starts[point] < first ? floorSinceFirst : floors.past[point]
        let step = floors.future[point] - past
        // No interval is taken for less than 300 ms, so that most packets need no closer look.
        if isFalling != (step < -375_000) {
          isFalling = !isFalling && isFall(by: -step, at: point, since: first, floor: past, stretch, beats)
          if isFalling { surplusSteps += 1 }
        }
        if step > 375_000, case let threshold = localInterval(at: stretch[point].beat, within: beats) * 5 / 4,
          step > threshold, isConfirmed(step, at: point, since: first, floor: past, stretch)
        {
          let settled = settle(point, step: step, floors, threshold: threshold)
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
    let low = max(first, point - parameters.stepPackets)
    var sum: Int64 = 0
    for index in low..<point { sum += stretch[index].residual - floor }
    let excess = max(Double(sum) / Double(point - low), 1000)
    return Double(parameters.stepPackets) * Double(step) / excess > parameters.stepConfirmation
  }

  /// The rise is found at the first packet from which on all lie above the threshold; the hole lies before the first
  /// from which on all lie near the new floor.
  private func settle(_ point: Int, step: Int64, _ floors: FloorWindows, threshold: Int64) -> Int {
    let last = min(point + 20, floors.future.count - 1)
    var index = point
    while index < last && floors.future[last] - floors.future[index] > threshold / 4 { index += 1 }
    return index
  }
}
