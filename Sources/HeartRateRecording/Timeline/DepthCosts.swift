import Glibc

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
        let block = Block(packet..<(packet + size), intervals, depths: depths)
        for depth in 0..<depths { costs.append(block.cost(depth)) }
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
}

extension DepthCosts {
  /// Some packets in a row, in sixteenths of a microsecond, which are whole parts of both a tick and a microsecond. Absurd
  /// instants may wrap around.
  private struct Block {
    /// An arrival, and the place in ``releases`` of the beat that comes with it.
    private struct Arrival {
      var instant: Int64
      var beat: Int
    }

    /// The packets' arrivals, each with its last beat.
    private var arrivals: [Arrival] = []
    /// The arrivals before each packet, with its first beat. The block's first packet is left out: where its beats begin is
    /// not in the block.
    private var earlier: [Arrival] = []
    /// The beats by the sum of their intervals, from the first packet's last one on.
    private var releases: [Int64] = []

    init(_ range: Range<Int>, _ intervals: SessionIntervals, depths: Int) {
      let packets = intervals.packets.span.extracting(range)
      let sendings = intervals.sendings.span.extracting(range)
      let ticks = intervals.ticks.span
      let origin = sendings[0].instant
      let first = packets[0].beatEnd - 1
      let originTicks = ticks[first + 1]
      let last = packets[packets.count - 1].beatEnd - 1
      releases.reserveCapacity(last + depths - first)
      for beat in first..<(last + depths) { releases.append((ticks[beat] - originTicks) &* 15_625) }
      arrivals.reserveCapacity(packets.count)
      earlier.reserveCapacity(packets.count)
      var end = first + 1
      for index in packets.indices {
        let packet = packets[index]
        arrivals.append(Arrival(instant: (sendings[index].instant &- origin) &* 16, beat: packet.beatEnd - 1 - first))
        if packet.beatEnd > end, let before = sendings[index].previous {
          earlier.append(Arrival(instant: (before &- origin) &* 16, beat: end - first))
        }
        end = packet.beatEnd
      }
    }

    /// How badly the packets fit their beats if these are handed on so many beats later.
    func cost(_ depth: Int) -> Double {
      // Not the smallest of all: some packets are early.
      var lowest = LowestValues(count: max(3, arrivals.count / 24), beyond: Int64.max)
      var sum = 0.0
      for arrival in arrivals {
        let residual = arrival.instant &- releases[arrival.beat + depth]
        sum += Double(residual)
        lowest.take(residual)
      }
      var ceiling = Int64.min
      for arrival in earlier { ceiling = max(ceiling, arrival.instant &- releases[arrival.beat + depth]) }
      let floor = Double(lowest.greatest)
      let excess = sum / Double(arrivals.count) - floor + max(0, Double(ceiling) - floor)
      return Double(arrivals.count) * log(max(excess / 16, 1000))
    }
  }
}
