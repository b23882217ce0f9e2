/// What the packets of one run say of its offset.
struct RunEvidence {
  /// The arrival of the packet of the run's first beat, in microseconds of wall time: where samples count from.
  let origin: Int64
  /// One for each packet; at least one.
  private(set) var samples: [OffsetModel.Sample]
  /// The outermost bounds of each block of packets, for a run that the session's latencies are learnt from; else empty.
  ///
  /// They hold nearly all that the packets say, are hardly dependent on each other, and are fewer.
  private(set) var blocks: [OffsetModel.Sample] = []
  /// Where ``samples`` count the sensor's time from, in microseconds since the run's first beat: the middle of the
  /// packets, where an offset is hardly touched by the slope.
  private(set) var middle = 0.0
  /// The mean interval, in microseconds.
  private(set) var interval = 1e6
  /// The offset there as it was found last.
  var offset: Double?

  init(_ pass: TimelinePass, _ residuals: Residuals, run: Int) {
    let beats = pass.beats(ofRun: run)
    let origin = pass.packets[Int(pass.packetOfBeat[beats.lowerBound])].arrival
    let firstTicks = pass.ticks[beats.lowerBound]
    self.origin = origin
    samples = residuals.points[residuals.ranges[run]].map { point in
      let time = Double(pass.ticks[point.beat] - firstTicks) * (15_625 / 16)
      var sample = OffsetModel.Sample(
        residual: Double(point.arrival - origin) - time, residualTime: time, ceiling: -.infinity, ceilingTime: 0)
      if let earlier = point.previousArrival, point.firstBeat >= beats.lowerBound {
        sample.ceilingTime = Double(pass.ticks[point.firstBeat] - firstTicks) * (15_625 / 16)
        sample.ceiling = Double(earlier - origin) - sample.ceilingTime
      }
      return sample
    }
    if samples.isEmpty { samples = Self.unreleased(pass, beats, origin) }
    centre()
    if beats.count > 1 {
      interval = Double(pass.ticks[beats.upperBound - 1] - firstTicks) * (15_625 / 16) / Double(beats.count - 1)
    }
  }

  /// All the run's packets were released by beats that never arrived: take their intervals as they were.
  private static func unreleased(_ pass: TimelinePass, _ beats: Range<Int>, _ origin: Int64) -> [OffsetModel.Sample] {
    let delay = Int64(pass.depth.beats) * pass.localInterval(at: beats.lowerBound, within: beats)
    let packets = Int(pass.packetOfBeat[beats.lowerBound])...Int(pass.packetOfBeat[beats.upperBound - 1])
    return packets.map { index in
      let packet = pass.packets[index]
      let beat = min(packet.beatEnd, beats.upperBound) - 1
      let time = RunMap.microseconds(ticks: pass.ticks[beat] - pass.ticks[beats.lowerBound]) + delay
      return .init(
        residual: Double(packet.arrival - origin - time), residualTime: Double(time), ceiling: -.infinity,
        ceilingTime: 0)
    }
  }

  private mutating func centre() {
    middle = samples.reduce(0) { $0 + $1.residualTime } / Double(samples.count)
    for index in samples.indices {
      samples[index].residualTime -= middle
      samples[index].ceilingTime -= middle
    }
  }

  /// From the smallest residual to the one that nine in ten are below, in microseconds: how much of its range the phase
  /// between beats and packets has passed through.
  static func range(of samples: ArraySlice<OffsetModel.Sample>) -> Double {
    let residuals = samples.map(\.residual).sorted()
    guard let smallest = residuals.first else { return 0 }
    return residuals[(residuals.count - 1) * 9 / 10] - smallest
  }

  /// Groups the packets into blocks of `size`.
  mutating func makeBlocks(of size: Int) {
    let count = samples.count / size
    blocks.reserveCapacity(count)
    for index in 0..<count {
      let block = samples[(samples.count * index / count)..<(samples.count * (index + 1) / count)]
      guard var outermost = block.first else { continue }
      for sample in block {
        if sample.residual < outermost.residual {
          outermost.residual = sample.residual
          outermost.residualTime = sample.residualTime
        }
        if sample.ceiling > outermost.ceiling {
          outermost.ceiling = sample.ceiling
          outermost.ceilingTime = sample.ceilingTime
        }
      }
      blocks.append(outermost)
    }
  }

  /// How far samples lie above the offset as it was found last, and it above their ceilings; none where it was not.
  func excesses(_ samples: [OffsetModel.Sample], slope: Double) -> [(above: Double, below: Double)] {
    guard let offset else { return [] }
    return samples.map {
      ($0.residual - slope * $0.residualTime - offset, offset - $0.ceiling + slope * $0.ceilingTime)
    }
  }
}
