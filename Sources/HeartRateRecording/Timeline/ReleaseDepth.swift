import Glibc

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

/// How badly the packets of a session fit their beats at each release depth, block by block.
///
/// A packet's last beat was released before it arrived, and its first beat after the packet before: arrival minus beat
/// time has a floor, and the earlier arrival minus the first beat's time a ceiling, which meet at the right depth. At a
/// wrong one the intervals' own variation blurs both: the mean lies further above the floor, and the ceiling above the
/// floor as well. With an exponential excess the log-likelihood of a block of n packets is −n log(mean excess).
struct DepthCosts {
  /// The depths that were tried: 0 ..< depths.
  let depths: Int
  /// A row of depths for each block.
  private var costs: [Double] = []

  var blocks: Int { costs.count / depths }

  init(_ intervals: SessionIntervals) {
    depths = intervals.parameters.greatestDepth + 1
    let size = intervals.parameters.depthBlock
    // Blocks lie between breaks: nothing fits across one.
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

  /// By how much one depth fits a block better than another. No block decides alone: one with a silence in it fits nothing.
  func gain(_ block: Int, _ depth: Int, over other: Int) -> Double {
    max(-Self.greatestGain, min(self[block, other] - self[block, depth], Self.greatestGain))
  }

  private static let greatestGain = 45.0

  /// The sum over all blocks, and its standard error as their own spread shows it.
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
    // A sixteenth of a microsecond is a whole part of both a tick and a microsecond. Absurd instants may wrap around.
    let packets = intervals.packets.span.extracting(block)
    let ticks = intervals.ticks.span
    let origin = packets[0]
    let originTicks = ticks[origin.beatEnd]
    func residual(_ arrival: Int64, _ beat: Int) -> Int64 {
      (arrival &- origin.arrival) &* 16 &- (ticks[beat + depth] - originTicks) &* 15_625
    }
    // Not the smallest of all: some packets are early.
    var lowest = LowestValues(count: max(3, packets.count / 24))
    var ceiling = Int64.min
    var sum = 0.0
    var first = origin.beatEnd
    for index in packets.indices {
      let packet = packets[index]
      let own = residual(packet.arrival, packet.beatEnd - 1)
      sum += Double(own)
      lowest.take(own)
      // The block's first packet is left out: where its beats begin is not in the block.
      if packet.beatEnd > first, let earlier = intervals.arrival(before: packet) {
        ceiling = max(ceiling, residual(earlier, first))
      }
      first = packet.beatEnd
    }
    let floor = Double(lowest.greatest)
    let excess = sum / Double(packets.count) - floor + max(0, Double(ceiling) - floor)
    return Double(packets.count) * log(max(excess / 16, 1000))
  }
}
