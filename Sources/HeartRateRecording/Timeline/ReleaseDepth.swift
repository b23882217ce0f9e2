import Glibc

/// How many beats later a sensor hands a beat on: its latency follows the intervals instead of being constant.
struct ReleaseDepth {
  var beats = 0
  /// Standard error; nil where the depth is assumed.
  var error: Double?

  init() {}

  /// Finds the depth at which arrivals fit the beats best, if that is beyond doubt.
  ///
  /// What is doubtful is told by how much the blocks of the session differ among each other. The curvature of their sum
  /// knows nothing of that: where the beats hardly change their distance, the sum is a walk at random, and as sharp.
  init(_ costs: DepthCosts, _ parameters: TimelineParameters) {
    let sums = (0..<costs.depths).map { depth in costs.sum { costs[$0, depth] }.value }
    guard costs.blocks >= parameters.fewestDepthBlocks, let best = sums.indices.min(by: { sums[$0] < sums[$1] }),
      best > 0
    else { return }
    let gain = costs.sum { costs[$0, 0] - costs[$0, best] }
    // The spread of few blocks is not known well either.
    guard gain.value > (2 + 5 / Double(costs.blocks - 1)) * gain.error else { return }
    // A parabola through three depths: its vertex is uncertain by its slope's spread over its curvature. At the edge
    // there is one neighbour.
    let next = min(best + 1, costs.depths - 1)
    let slope = costs.sum { (costs[$0, next] - costs[$0, best - 1]) / 2 }
    let curvature = sums[best - 1] - sums[best] + sums[next] - sums[best]
    guard curvature > 0, slope.error < parameters.greatestDepthError * curvature else { return }
    beats = best
    error = slope.error / curvature
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

  init(_ pass: TimelinePass, linkStarts: [TimelinePass.RunStart]) {
    depths = pass.parameters.greatestDepth + 1
    let size = pass.parameters.depthBlock
    for (index, start) in linkStarts.enumerated() {
      let end = index + 1 < linkStarts.count ? linkStarts[index + 1].beat : pass.rrTicks.count
      var packet = Int(pass.packetOfBeat[start.beat])
      let endPacket = Int(pass.packetOfBeat[end - 1]) + 1
      while packet + size <= endPacket && pass.packets[packet + size - 1].beatEnd + depths <= end {
        for depth in 0..<depths { costs.append(Self.cost(of: packet..<(packet + size), pass, depth)) }
        packet += size
      }
    }
  }

  subscript(block: Int, depth: Int) -> Double { costs[block * depths + depth] }

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

  private static func cost(of block: Range<Int>, _ pass: TimelinePass, _ depth: Int) -> Double {
    // A sixteenth of a microsecond is a whole part of both a tick and a microsecond. Absurd instants may wrap around.
    let packets = pass.packets.span.extracting(block)
    let ticks = pass.ticks.span
    let origin = packets[0]
    let originTicks = ticks[origin.beatEnd]
    func residual(_ arrival: Int64, _ beat: Int) -> Int64 {
      (arrival &- origin.arrival) &* 16 &- (ticks[beat + depth] - originTicks) &* 15_625
    }
    var smallest = Int64.max
    var ceiling = Int64.min
    var sum = 0.0
    var first = origin.beatEnd
    for index in packets.indices {
      let packet = packets[index]
      let own = residual(packet.arrival, packet.beatEnd - 1)
      sum += Double(own)
      smallest = min(smallest, own)
      // The block's first packet is left out: where its beats begin is not in the block.
      if packet.beatEnd > first, let earlier = pass.arrival(before: packet) {
        ceiling = max(ceiling, residual(earlier, first))
      }
      first = packet.beatEnd
    }
    let excess = sum / Double(packets.count) - Double(smallest) + max(0, Double(ceiling) - Double(smallest))
    return Double(packets.count) * log(max(excess / 16, 1000))
  }
}
