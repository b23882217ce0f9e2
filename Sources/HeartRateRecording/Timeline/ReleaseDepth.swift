import Glibc

/// The number of later beats that a sensor detects before it sends a beat: the latency then follows the intervals
/// instead of being constant.
///
/// The depth is a property of the sensor's model: one that looks two beats ahead, to distinguish a beat from an
/// artefact, always does so.
struct ReleaseDepth {
  var beats = 0
  /// Standard error; nil where the depth is assumed.
  var error: Double?

  /// The look-ahead of sensors that have any: the only value that recordings have shown.
  private static let usual = 2
  /// The known depths of models, by the first letters of their Model Number (2A24): measured on recordings of them.
  private static let known: [(model: String, beats: Int)] = [("H10", 2), ("TICKR", 0)]

  /// Finds the depth at which arrivals fit the beats best. The result is the depth known for the model (none for an unknown
  /// model), unless another one fits far better.
  ///
  /// The improvement is measured in nats (units of the log-likelihood), and against the spread of the blocks: where the
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

/// The misfit of a session's packets and their beats at each release depth, for each block of packets.
///
/// A packet's last beat was released before the packet arrived, and its first beat after the packet before arrived. So
/// arrival minus the last beat's time has a floor, and the earlier arrival minus the first beat's time has a ceiling; at
/// the right depth the two meet. At a wrong depth the variation of the intervals blurs both: the mean residual lies further
/// above the floor, and so does the ceiling. If latencies above the floor are exponential, the log-likelihood of a block of
/// n packets is −n log(mean excess).
struct DepthCosts {
  /// The number of depths tried: 0 ..< depths.
  let depths: Int
  /// A row of depths for each block.
  private var costs: [Double] = []

  var blocks: Int { costs.count / depths }

  init(_ intervals: SessionIntervals) {
    depths = intervals.parameters.greatestDepth + 1
    let size = intervals.parameters.depthBlock
    // A block must not span a break of a run.
    let starts = RunBreaks.known(in: intervals, depth: 0)
    for (index, start) in starts.enumerated() where !start.isTimeless {
      let beats = start.beat..<(index + 1 < starts.count ? starts[index + 1].beat : intervals.rrTicks.count)
      var packet = intervals.packets(of: beats).lowerBound
      let endPacket = intervals.packets(of: beats).upperBound + 1
      while packet + size <= endPacket && intervals.packets[packet + size - 1].beatEnd + depths <= beats.upperBound {
        for depth in 0..<depths { costs.append(Self.cost(of: packet..<(packet + size), intervals, depth)) }
        packet += size
      }
    }
  }

  subscript(block: Int, depth: Int) -> Double { costs[block * depths + depth] }

  /// The improvement of a block's fit by one depth over another. The gain is limited: a block that contains a silence
  /// fits no depth and must not decide alone.
  func gain(_ block: Int, _ depth: Int, over other: Int) -> Double {
    max(-Self.greatestGain, min(self[block, other] - self[block, depth], Self.greatestGain))
  }

  private static let greatestGain = 45.0

  /// The sum over all blocks, and its standard error from the spread of the blocks.
  func sum(_ value: (_ block: Int) -> Double) -> (value: Double, error: Double) {
    var sum = 0.0
    var squares = 0.0
    for block in 0..<blocks {
      let value = value(block)
      sum += value
      squares += value * value
    }
    let count = Double(blocks)
    guard count > 1 else { return (sum, .infinity) }
    return (sum, (max(0, squares - sum * sum / count) * count / (count - 1)).squareRoot())
  }

  private static func cost(of block: Range<Int>, _ intervals: SessionIntervals, _ depth: Int) -> Double {
    // In sixteenths of a microsecond, ticks and microseconds are both integers. Absurd instants may wrap around.
    let packets = intervals.packets.span.extracting(block)
    let sendings = intervals.sendings.span.extracting(block)
    let ticks = intervals.ticks.span
    let sixteenths = intervals.clock.sixteenths
    let origin = sendings[0].instant &* 16 &- ticks[packets[0].beatEnd] &* sixteenths
    let releases = ticks.extracting(depth..<ticks.count)
    // Not the minimum, because some packets are early.
    var lowest = LowestValues(count: max(3, packets.count / 24), beyond: Int64.max)
    var ceiling = Int64.min
    var sum = 0.0
    var first = packets[0].beatEnd
    for index in packets.indices {
      let packet = packets[index]
      let own = sendings[index].instant &* 16 &- releases[packet.beatEnd &- 1] &* sixteenths &- origin
      sum += Double(own)
      lowest.insert(own)
      // A block's first packet has no ceiling: where its beats begin is not known within the block.
      if packet.beatEnd > first, let earlier = sendings[index].previous {
        ceiling = max(ceiling, earlier &* 16 &- releases[first] &* sixteenths &- origin)
      }
      first = packet.beatEnd
    }
    let floor = Double(lowest.greatest)
    let excess = sum / Double(packets.count) - floor + max(0, Double(ceiling) - floor)
    return Double(packets.count) * log(max(excess / 16, 1000))
  }
}
