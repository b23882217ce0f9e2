/// How many later beats a sensor detects before it sends a beat: its latency then follows the intervals instead of being
/// constant.
///
/// The depth is a property of the sensor's model: one that looks two beats ahead, to tell a beat from an artefact, always
/// does so.
struct ReleaseDepth {
  var beats = 0
  /// Standard error; nil where the depth is assumed.
  var error: Double?

  /// The look-ahead of sensors that have any: the only value that recordings have shown.
  private static let usual = 2
  /// What is known of models, by the first letters of their Model Number (2A24): measured on recordings of them.
  private static let known: [(model: String, beats: Int)] = [("H10", 2), ("TICKR", 0)]

  /// Finds the depth at which arrivals fit the beats best. The result is the depth known for the model (none for an unknown
  /// model), unless another one fits far better.
  ///
  /// How much better is measured in nats (units of the log-likelihood), and against the spread of the blocks. Where the
  /// beats hardly change their distance, the sum over the blocks is a random walk.
  init(_ costs: DepthCosts, model: String?, _ parameters: TimelineParameters) {
    let expected = model.flatMap { model in Self.known.first { model.hasPrefix($0.model) }?.beats } ?? 0
    beats = expected
    guard costs.blocks >= parameters.fewestDepthBlocks else { return }
    var best = 0
    for depth in 1..<costs.depths where costs.sum({ costs.gain($0, depth, over: best) }).value > 0 { best = depth }
    let margin = parameters.depthMargin + parameters.depthMarginPerBlock * Double(costs.blocks)
    // A look-ahead other than two beats must be clearly better.
    if best > 0, costs.sum({ costs.gain($0, best, over: Self.usual) }).value < margin / 2 { best = Self.usual }
    for depth in [best, Self.usual] {
      if let error = Self.error(of: depth, costs), error < parameters.greatestDepthError,
        depth == expected || isBeyondDoubt(depth, over: expected, costs, parameters)
      {
        beats = depth
        // Depth 0 is assumed, not estimated, so it has no error.
        self.error = depth > 0 ? error : nil
        return
      }
    }
  }

  /// Whether a depth fits so much better that it is used. The usual depth needs a smaller margin; few blocks need a larger
  /// one, because their spread is not well known.
  private func isBeyondDoubt(
    _ depth: Int, over expected: Int, _ costs: DepthCosts, _ parameters: TimelineParameters
  ) -> Bool {
    let gain = costs.sum { costs.gain($0, depth, over: expected) }
    let isUsual = depth == Self.usual
    let blocks = Double(costs.blocks)
    let margin = parameters.depthMargin + parameters.depthMarginPerBlock * blocks * (isUsual ? 0.5 : 1)
    return gain.value > max(margin, ((isUsual ? 0.35 : 1.5) + 5 / (blocks - 1)) * gain.error)
  }

  /// The standard error of a depth, in beats; nil where its neighbours fit better.
  ///
  /// From a parabola through the costs of three depths: the spread of its slope over its curvature. At the edges there is
  /// only one neighbour.
  private static func error(of depth: Int, _ costs: DepthCosts) -> Double? {
    let before = max(depth - 1, 0)
    let next = min(depth + 1, costs.depths - 1)
    let slope = costs.sum { costs.gain($0, before, over: next) / 2 }
    let curvature =
      costs.sum { costs.gain($0, depth, over: before) }.value + costs.sum { costs.gain($0, depth, over: next) }.value
    return curvature > 0 ? slope.error / curvature : nil
  }
}
