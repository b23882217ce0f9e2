import Glibc

/// The session's clock slope: the wall time of one second of the sensor's clock, minus one.
///
/// The most likely value for the floors of all long runs together, each with an offset of its own. Sensor clocks are off by
/// some tens of parts per million; this is the prior, and an estimate that the data cannot resolve becomes 0.
struct DriftEstimate {
  /// As a fraction (1e-6 is 1 ppm); 0 where it could not be resolved.
  private(set) var slope = 0.0
  /// Standard error, as a fraction; nil where it could not be resolved.
  private(set) var error: Double?

  /// The part of the slope that stays hidden because beats keep step with the packets, as a fraction: each value up to
  /// this one is as likely.
  private var hidden = 0.0

  var partsPerBillion: Int32 { Int32((slope * 1e9).rounded()) }

  /// Repeats the estimate with a better model of the latencies.
  mutating func refine(
    _ evidence: [RunEvidence], _ model: OffsetModel, trust: Double, _ parameters: TimelineParameters
  ) {
    // The slope that a short run shows depends on the latency of its few packets.
    let long = evidence.filter { $0.blocks.count >= 2 * parameters.pieceBlocks }
    guard !long.isEmpty else { return }
    var width = error.map { 3 * $0 } ?? parameters.greatestSlope
    for _ in 0..<2 {
      let step = width / Double(parameters.slopeSteps)
      (slope, error) = posterior(long, model, trust: trust, parameters, step: step)
      width = 3 * (error ?? 0)
    }
    // If beats keep step with the packets, a part of the drift stays hidden: this much over the session's length.
    hidden = long.map { $0.lockedMicroseconds / max($0.length, 1) }.min() ?? 0
    let wander = parameters.slopeWander
    error = error.map { ($0 * $0 + wander * wander + hidden * hidden / 2).squareRoot() }
  }

  /// The most likely value on a grid around the present slope, and its standard error.
  ///
  /// The error is the greater of two: the width of the likelihood, and how much the result moves when one run is left out
  /// (the jackknife). The likelihood cannot see that a run which lost beats unnoticed has a slope of its own.
  private func posterior(
    _ runs: [RunEvidence], _ model: OffsetModel, trust: Double, _ parameters: TimelineParameters, step: Double
  ) -> (Double, Double) {
    let slopes = (-parameters.slopeSteps...parameters.slopeSteps).map { slope + Double($0) * step }
    let evidence = runs.map { run in
      slopes.map { trust * model.locate(run.blocks, slope: $0, around: run.offset).evidence }
    }
    let prior = slopes.map { -$0 * $0 / (2 * parameters.slopeSpread * parameters.slopeSpread) }
    let sums = evidence.reduce(prior) { sums, one in zip(sums, one).map { $0 + $1 } }
    let all = Self.moments(slopes, sums)
    var variance = step * step / 12 + all.variance
    if runs.count >= parameters.fewestDriftRuns {
      let others = evidence.map { one in Self.moments(slopes, zip(sums, one).map { $0 - $1 }).mean }
      let mean = others.reduce(0, +) / Double(others.count)
      let squares = others.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      variance = max(variance, squares * Double(others.count - 1) / Double(others.count))
    }
    return (min(max(all.mean, -parameters.greatestSlope), parameters.greatestSlope), variance.squareRoot())
  }

  private static func moments(_ slopes: [Double], _ logarithms: [Double]) -> (mean: Double, variance: Double) {
    let greatest = logarithms.max() ?? 0
    let weights = logarithms.map { exp($0 - greatest) }
    let total = weights.reduce(0, +)
    let mean = zip(slopes, weights).reduce(0) { $0 + $1.0 * $1.1 } / total
    let variance = zip(slopes, weights).reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / total
    return (mean, variance)
  }

  /// An estimate whose error is too large becomes 0. The stated error of any other estimate includes nearly all of the
  /// hidden part, too.
  mutating func discardUnresolved(_ parameters: TimelineParameters) {
    if let error, error < parameters.greatestSlopeError {
      self.error = (error * error + 0.3 * hidden * hidden).squareRoot()
    } else {
      (slope, error) = (0, nil)
    }
  }
}
