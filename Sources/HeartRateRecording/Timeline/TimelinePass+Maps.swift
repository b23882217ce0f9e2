import Glibc

extension TimelinePass {
  /// Rule 2 and 3: gives each run its map, and each beat its time.
  mutating func map(_ residuals: Residuals) {
    estimateSlope(residuals)
    var anchors: [Int64] = []
    var uncertainties: [Int64] = []
    for index in starts.indices {
      let floor = floor(residuals, run: index)
      anchors.append(floor.anchor)
      uncertainties.append(floor.uncertainty)
    }
    for index in starts.indices {
      let map = RunMap(
        anchorMicroseconds: anchors[index], slopePartsPerBillion: slope, uncertaintyMicroseconds: uncertainties[index])
      runs.append(
        HeartbeatRun(
          index: index, beats: beats(ofRun: index), map: map, startMicroseconds: 0, endMicroseconds: 0))
    }
    settleRuns()
  }

  /// Wall time of a run's first beat out of the low quantile of its residuals.
  private func floor(_ residuals: Residuals, run: Int) -> (anchor: Int64, uncertainty: Int64) {
    let beats = beats(ofRun: run)
    let origin = ticks[beats.lowerBound]
    let zero = RunMap(anchorMicroseconds: 0, slopePartsPerBillion: slope, uncertaintyMicroseconds: 0)
    var values = residuals.ranges[run].map { index in
      residuals.points[index].arrival - zero.microseconds(atTicks: ticks[residuals.points[index].beat] - origin)
    }
    if values.isEmpty {
      // All its packets were released by beats that never arrived: take the intervals as they were.
      let interval = localInterval(at: beats.lowerBound, within: beats)
      for index in Int(packetOfBeat[beats.lowerBound])...Int(packetOfBeat[beats.upperBound - 1]) {
        let beat = min(packets[index].beatEnd, beats.upperBound) - 1
        values.append(
          packets[index].arrival - zero.microseconds(atTicks: ticks[beat] - origin) - Int64(depth.beats) * interval)
      }
    }
    values.sort()
    let position = Int(Double(values.count) * parameters.floorQuantile)
    let anchor = values[position]
    let mean = values.reduce(0.0) { $0 + Double($1 - values[0]) } / Double(values.count)
    let uncertainty = Int64(3 * mean / Double(values.count)) + 20_000
    return (anchor, uncertainty)
  }

  /// One slope for the session: weighted least squares through the smallest residuals of each minute, one offset a run.
  private mutating func estimateSlope(_ residuals: Residuals) {
    var sumTT = 0.0
    var sumTR = 0.0
    var sumRR = 0.0
    var freedom = -1.0
    for range in residuals.ranges {
      let minima = minuteMinima(residuals.points[range])
      guard minima.count >= 3 else { continue }
      let meanTime = minima.reduce(0.0) { $0 + $1.time } / Double(minima.count)
      let mean = minima.reduce(0.0) { $0 + $1.residual } / Double(minima.count)
      for point in minima {
        let time = point.time - meanTime
        let residual = point.residual - mean
        sumTT += time * time
        sumTR += time * residual
        sumRR += residual * residual
      }
      freedom += Double(minima.count) - 1
    }
    guard freedom >= Double(parameters.fewestSlopeMinutes), sumTT > 0 else { return }
    let estimate = sumTR / sumTT
    let variance = max(sumRR - estimate * sumTR, 0) / freedom / sumTT
    let error = variance.squareRoot()
    guard error < parameters.greatestSlopeError, abs(estimate) < parameters.greatestSlope else { return }
    slope = Int32((estimate * 1e9).rounded())
    slopeError = error * 1e6
  }

  private func minuteMinima(_ points: ArraySlice<Residuals.Point>) -> [(time: Double, residual: Double)] {
    var result: [(time: Double, residual: Double)] = []
    guard let first = points.first else { return [] }
    var minute = Int64.min
    for point in points {
      let next = (point.arrival - first.arrival) / 60_000_000
      let residual = Double(point.residual - first.residual)
      let time = Double(point.arrival - first.arrival)
      if next != minute {
        result.append((time, residual))
        minute = next
      } else if let last = result.last, residual < last.residual {
        result[result.count - 1] = (time, residual)
      }
    }
    return result
  }

  /// Makes beats strictly increase over the session and none later than its own packet's arrival, by moving whole runs
  /// earlier: all by the same amount where that will do, since a constant latency says nothing, else one by one.
  private mutating func settleRuns() {
    wall = [Int64](repeating: 0, count: rrTicks.count)
    var bound = Int64.max
    for index in runs.indices.reversed() {
      let beats = runs[index].beats
      let origin = ticks[beats.lowerBound]
      var late = Int64.min
      var previous = Int64.min
      for beat in beats {
        let time = max(runs[index].map.microseconds(atTicks: ticks[beat] - origin), previous &+ 1)
        previous = time
        wall[beat] = time
        late = max(late, time - packets[Int(packetOfBeat[beat])].arrival)
      }
      late = max(late, previous - (bound == .max ? previous : bound - 1))
      if late > 0 {
        runs[index].map.anchorMicroseconds -= late
        for beat in beats { wall[beat] -= late }
      }
      runs[index].startMicroseconds = wall[beats.lowerBound]
      runs[index].endMicroseconds = wall[beats.upperBound - 1]
      bound = runs[index].startMicroseconds
    }
  }
}
