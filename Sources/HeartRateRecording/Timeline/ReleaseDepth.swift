/// How many beats later a sensor hands a beat on: its latency follows the intervals instead of being constant.
///
/// A law of the sensor's model: one that looks ahead by two beats, to tell a beat from an artefact, does so always.
struct ReleaseDepth {
  var beats = 0
  /// Standard error; nil where the depth is assumed.
  var error: Double?

  /// The look-ahead of those that have any, as far as is known.
  private static let usual = 2
  /// What is known of models, by the first letters of their Model Number (2A24): measured on recordings of them.
  private static let known: [(model: String, beats: Int)] = [("H10", 2), ("TICKR", 0)]

  /// Finds the depth at which arrivals fit the beats best, if that is far better than what is assumed of the model: its own
  /// depth where it is known, else none.
  ///
  /// How much better is told in nats, the unit of a likelihood's logarithm, and by how much the blocks of the session differ
  /// among each other: where the beats hardly change their distance, the sum over them is a walk at random.
  init(_ costs: DepthCosts, model: String?, _ parameters: TimelineParameters) {
    let expected = model.flatMap { model in Self.known.first { model.hasPrefix($0.model) }?.beats } ?? 0
    beats = expected
    guard costs.blocks >= parameters.fewestDepthBlocks else { return }
    var best = 0
    for depth in 1..<costs.depths where costs.sum({ costs.gain($0, depth, over: best) }).value > 0 { best = depth }
    let margin = parameters.depthMargin + parameters.depthMarginPerBlock * Double(costs.blocks)
    // Look-ahead by two beats is the only one that recordings have shown: another has to be clearly better.
    if best > 0, costs.sum({ costs.gain($0, best, over: Self.usual) }).value < margin / 2 { best = Self.usual }
    for depth in [best, Self.usual] {
      if let error = Self.error(of: depth, costs), error < parameters.greatestDepthError,
        depth == expected || isBeyondDoubt(depth, over: expected, costs, parameters)
      {
        beats = depth
        // No look-ahead is no estimate: nothing speaks for more.
        self.error = depth > 0 ? error : nil
        return
      }
    }
  }

  /// Whether a depth fits so much better that it is believed. The usual one is believed more easily; the spread of few blocks is
  /// not known well.
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
  /// A parabola through three depths: its vertex is uncertain by its slope's spread over its curvature. At the edges there is
  /// one neighbour.
  private static func error(of depth: Int, _ costs: DepthCosts) -> Double? {
    let before = max(depth - 1, 0)
    let next = min(depth + 1, costs.depths - 1)
    let slope = costs.sum { costs.gain($0, before, over: next) / 2 }
    let curvature =
      costs.sum { costs.gain($0, depth, over: before) }.value + costs.sum { costs.gain($0, depth, over: next) }.value
    return curvature > 0 ? slope.error / curvature : nil
  }
}
