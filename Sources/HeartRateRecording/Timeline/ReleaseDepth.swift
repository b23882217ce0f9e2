import Glibc

/// How many beats later a sensor hands a beat on: its latency follows the intervals instead of being constant.
struct ReleaseDepth {
  var beats = 0
  /// Standard error; nil where the depth is assumed.
  var error: Double?
}

extension TimelinePass {
  /// Finds the depth at which arrivals fit the beats best.
  ///
  /// At the right depth each block of packets has a sharp floor of arrival minus beat time. At a wrong one the intervals'
  /// own variation blurs it, so that the mean lies further above the smallest. With an exponential excess the
  /// log-likelihood of a block of n packets is −n log(mean excess).
  func estimateDepth(linkStarts: [RunStart]) -> ReleaseDepth {
    let depths = 0...parameters.greatestDepth
    var cost = [Double](repeating: 0, count: depths.count + 1)
    var blocks = 0
    for (index, start) in linkStarts.enumerated() {
      let end = index + 1 < linkStarts.count ? linkStarts[index + 1].beat : rrTicks.count
      var packet = Int(packetOfBeat[start.beat])
      let endPacket = Int(packetOfBeat[end - 1]) + 1
      while packet + parameters.depthBlock <= endPacket {
        let block = packet..<(packet + parameters.depthBlock)
        packet = block.upperBound
        guard packets[block.upperBound - 1].beatEnd + depths.upperBound < end else { break }
        blocks += 1
        for depth in depths { cost[depth] += blockCost(block, depth: depth) }
      }
    }
    guard blocks >= parameters.fewestDepthBlocks, let best = depths.min(by: { cost[$0] < cost[$1] }), best > 0 else {
      return ReleaseDepth()
    }
    // The curvature at the minimum is the inverse variance; at the edge take the one neighbour twice.
    let left = cost[best - 1] - cost[best]
    let right = best < depths.upperBound ? cost[best + 1] - cost[best] : left
    let curvature = left + right
    guard curvature > 0 else { return ReleaseDepth() }
    let error = 1 / curvature.squareRoot()
    guard error < parameters.greatestDepthError else { return ReleaseDepth() }
    return ReleaseDepth(beats: best, error: error)
  }

  private func blockCost(_ block: Range<Int>, depth: Int) -> Double {
    let packets = packets.span
    let ticks = ticks.span
    var smallest = Int64.max
    var sum: Int64 = 0
    let base = packets[block.lowerBound].arrival - RunMap.microseconds(ticks: ticks[packets[block.lowerBound].beatEnd])
    for index in block {
      let beat = packets[index].beatEnd - 1 + depth
      let residual = packets[index].arrival - RunMap.microseconds(ticks: ticks[beat]) - base
      sum += residual
      smallest = min(smallest, residual)
    }
    let excess = Double(sum) / Double(block.count) - Double(smallest)
    return Double(block.count) * log(max(excess, 1000))
  }
}
