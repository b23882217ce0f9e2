import HealthModel

extension SessionAssembly {
  /// Adds what is known about the sensor's timing to the report.
  func addTiming(to report: inout QualityReport) {
    report.releaseDepthBeats = Double(depth.beats)
    report.releaseDepthErrorBeats = depth.error
    report.driftPartsPerMillion = placement.drift.slope * 1e6
    report.driftErrorPartsPerMillion = placement.drift.error.map { $0 * 1e6 }
    report.earlyPackets = earlyPackets > 0 ? Int64(earlyPackets) : nil
    report.surplusSteps = surplusSteps
    measureLatency(&report)
  }

  /// The number of blocks of surplus intervals, and of falls of the floor that show surplus without showing which
  /// intervals.
  private var surplusSteps: Int64 {
    let steps = starts.indices.count { index in
      starts[index].invented == .surplus
        || starts[index].reason == .surplus && (index == 0 || starts[index - 1].invented != .surplus)
    }
    return Int64(steps)
  }

  /// Latencies are counted to the millisecond, because sorting all would cost as much as everything else; only the latest
  /// are sorted.
  private func measureLatency(_ report: inout QualityReport) {
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
    report.latencyMedianMicroseconds = quantile(0.5)
    report.latency95Microseconds = quantile(0.95)
    report.latencyGreatestMicroseconds = greatest
  }
}
