extension SessionAssembly {
  /// What was found out about the sensor's timing.
  var quality: TimelineQuality {
    var quality = TimelineQuality()
    quality.releaseDepth = Double(depth.beats)
    quality.releaseDepthError = depth.error
    quality.driftPartsPerMillion = placement.drift.slope * 1e6
    quality.driftError = placement.drift.error.map { $0 * 1e6 }
    quality.earlyPackets = earlyPackets
    quality.surplusSteps = surplusSteps
    measureLatency(&quality)
    return quality
  }

  /// Where there was more than there was time for: blocks of surplus intervals, and falls of the floor by which nothing tells
  /// the surplus ones.
  private var surplusSteps: Int {
    starts.indices.count { index in
      starts[index].invented == .surplus
        || starts[index].reason == .surplus && (index == 0 || starts[index - 1].invented != .surplus)
    }
  }

  /// Counted to the millisecond, since sorting them would cost as much as all the rest; what is later than that, by sorting.
  private func measureLatency(_ quality: inout TimelineQuality) {
    var counts = [Int](repeating: 0, count: 20_000)
    var later: [Int64] = []
    var greatest = Int64.min
    let packets = intervals.packets
    for packet in packets {
      let latency = packet.arrival - placement.wall[packet.beatEnd - 1]
      let millisecond = Int(clamping: max(latency / 1000, 0))
      if millisecond < counts.count { counts[millisecond] += 1 } else { later.append(latency) }
      greatest = max(greatest, latency)
    }
    later.sort()
    func quantile(_ share: Double) -> Int64? {
      var left = Int((Double(packets.count) * share).rounded(.up))
      let late = left - (packets.count - later.count)
      if late > 0 { return later[late - 1] }
      for (milliseconds, count) in counts.enumerated() {
        left -= count
        if left <= 0 { return Int64(milliseconds) * 1000 }
      }
      return nil
    }
    guard !packets.isEmpty else { return }
    quality.medianLatencyMicroseconds = quantile(0.5)
    quality.latency95Microseconds = quantile(0.95)
    quality.greatestLatencyMicroseconds = greatest
  }
}
