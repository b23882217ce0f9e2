import Glibc

/// How much longer a second of wall time a second of the sensor is: one value for the session.
///
/// What is most likely for the floors of all long runs together, each with an offset of its own. Sensors' clocks are good to
/// some tens of parts per million: that much is believed beforehand, so that what cannot be resolved comes out as 0.
struct DriftEstimate {
  /// As a fraction; 0 where it could not be resolved.
  private(set) var slope = 0.0
  /// Standard error, as a fraction; nil where it could not be resolved.
  private(set) var error: Double?

  var partsPerBillion: Int32 { Int32((slope * 1e9).rounded()) }

  /// Estimates anew, with latencies that are known better than before.
  mutating func refine(
    _ evidence: [RunEvidence], _ model: OffsetModel, trust: Double, _ parameters: TimelineParameters
  ) {
    let long = evidence.filter { $0.blocks.count >= parameters.pieceBlocks }
    guard !long.isEmpty else { return }
    var width = error.map { 3 * $0 } ?? parameters.greatestSlope
    for _ in 0..<2 {
      let step = width / Double(parameters.slopeSteps)
      (slope, error) = posterior(long, model, trust: trust, parameters, step: step)
      width = 3 * (error ?? 0)
    }
    // What beats that keep step with the packets hide over the length of the session.
    let hidden = long.map { $0.lockedMicroseconds / max($0.length, 1) }.min() ?? 0
    error = error.map { ($0 * $0 + hidden * hidden / 3).squareRoot() }
  }

  /// Mean and standard deviation of what is likely, on a grid around the present slope.
  private func posterior(
    _ runs: [RunEvidence], _ model: OffsetModel, trust: Double, _ parameters: TimelineParameters, step: Double
  ) -> (Double, Double) {
    let slopes = (-parameters.slopeSteps...parameters.slopeSteps).map { slope + Double($0) * step }
    var likelihood = slopes.map { candidate in
      let sum = runs.reduce(0) { $0 + model.locate($1.blocks, slope: candidate, around: $1.offset).evidence }
      let prior = candidate / parameters.slopeSpread
      return sum * trust - prior * prior / 2
    }
    let greatest = likelihood.max() ?? 0
    var total = 0.0
    var mean = 0.0
    for index in slopes.indices {
      likelihood[index] = exp(likelihood[index] - greatest)
      total += likelihood[index]
      mean += likelihood[index] * slopes[index]
    }
    mean /= total
    var variance = step * step / 12
    for index in slopes.indices {
      variance += likelihood[index] / total * (slopes[index] - mean) * (slopes[index] - mean)
    }
    return (min(max(mean, -parameters.greatestSlope), parameters.greatestSlope), variance.squareRoot())
  }

  /// What cannot be resolved is 0.
  mutating func settle(_ parameters: TimelineParameters) {
    if let error, error < parameters.greatestSlopeError { return }
    (slope, error) = (0, nil)
  }
}
