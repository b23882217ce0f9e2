import Glibc

/// How badly the packets of a session fit their beats at each release depth, for each block of packets.
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

  /// By how much one depth fits a block better than another. The gain is limited: a block that contains a silence fits no
  /// depth and must not decide alone.
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
