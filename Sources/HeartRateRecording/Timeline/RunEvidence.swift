import Glibc

/// The samples from which the offset of one run is estimated.
struct RunEvidence {
  /// The arrival of the packet with the run's first beat, in microseconds of wall time: the origin of the samples.
  let origin: Int64
  /// One for each packet; at least one.
  private(set) var samples: [OffsetModel.Sample]
  /// The samples by the time of sending, where a steady pace gives that time for nearly all packets; else ``samples``.
  private(set) var sent: [OffsetModel.Sample]
  let isPaced: Bool
  /// The outermost bounds of each block of packets, for a run long enough to learn the session's latencies from; else
  /// empty.
  ///
  /// Blocks hold nearly all information of the packets, hardly depend on each other, and are fewer.
  private(set) var blocks: [OffsetModel.Sample] = []
  /// The origin of the sensor's time in ``samples``, in microseconds since the run's first beat. It is in the middle of the
  /// packets, where a change of the slope hardly changes the offset.
  private(set) var middle = 0.0
  /// The mean interval, in microseconds.
  private(set) var interval = 1e6
  /// The part of the offset that stays hidden because beats keep step with the packets, in microseconds: the phases between
  /// them that do not occur within a block. 0 without blocks.
  private(set) var lockedMicroseconds = 0.0
  /// The offset at ``middle``, as estimated last.
  var offset: Double?

  init(_ intervals: SessionIntervals, _ residuals: Residuals, run: Int, depth: Int) {
    let beats = residuals.starts[run].beat..<residuals.end(ofRun: run, intervals)
    let origin = intervals.packets[Int(intervals.packetOfBeat[beats.lowerBound])].arrival
    let firstTicks = intervals.ticks[beats.lowerBound]
    self.origin = origin
    let points = residuals.points[residuals.ranges[run]]
    func sample(_ point: Residuals.Point, _ instant: Int64, _ before: Int64?) -> OffsetModel.Sample {
      let time = Double(intervals.ticks[point.beat] - firstTicks) * intervals.clock.microsecondsPerTick
      var sample = OffsetModel.Sample(
        residual: Double(instant - origin) - time, residualTime: time, ceiling: -.infinity, ceilingTime: 0)
      if let before, point.firstBeat >= beats.lowerBound {
        sample.ceilingTime = Double(intervals.ticks[point.firstBeat] - firstTicks) * intervals.clock.microsecondsPerTick
        sample.ceiling = Double(before - origin) - sample.ceilingTime
      }
      return sample
    }
    samples = points.map { point in
      let packet = intervals.packets[point.packet]
      return sample(point, packet.arrival, intervals.arrival(before: packet))
    }
    let paced = points.count { intervals.sendings[$0.packet].isPaced }
    isPaced = Double(paced) > intervals.parameters.steadyShare * Double(points.count)
    sent = isPaced ? points.map { sample($0, $0.sent, intervals.sendings[$0.packet].previous) } : []
    if samples.isEmpty { samples = Self.unreleased(intervals, beats, origin, depth) }
    centre()
    if beats.count > 1 {
      interval =
        Double(intervals.ticks[beats.upperBound - 1] - firstTicks) * intervals.clock.microsecondsPerTick
        / Double(beats.count - 1)
    }
  }

  /// For a run whose packets were all released by beats that never arrived: uses the packets' own intervals.
  private static func unreleased(
    _ intervals: SessionIntervals, _ beats: Range<Int>, _ origin: Int64, _ depth: Int
  ) -> [OffsetModel.Sample] {
    let delay = Int64(depth) * intervals.localInterval(at: beats.lowerBound, within: beats)
    let packets = Int(intervals.packetOfBeat[beats.lowerBound])...Int(intervals.packetOfBeat[beats.upperBound - 1])
    return packets.map { index in
      let packet = intervals.packets[index]
      let beat = min(packet.beatEnd, beats.upperBound) - 1
      let time = intervals.clock.microseconds(intervals.ticks[beat] - intervals.ticks[beats.lowerBound]) + delay
      return .init(
        residual: Double(packet.arrival - origin - time), residualTime: Double(time), ceiling: -.infinity,
        ceilingTime: 0)
    }
  }

  private mutating func centre() {
    middle = samples.reduce(0) { $0 + $1.residualTime } / Double(samples.count)
    Self.move(&samples, by: middle)
    if isPaced { Self.move(&sent, by: middle) } else { sent = samples }
  }

  private static func move(_ samples: inout [OffsetModel.Sample], by middle: Double) {
    for index in samples.indices {
      samples[index].residualTime -= middle
      samples[index].ceilingTime -= middle
    }
  }

  /// From the smallest residual to the one that nine in ten are below, in microseconds: the range of phases between beats
  /// and packets that occurred.
  static func range(of samples: ArraySlice<OffsetModel.Sample>) -> Double {
    var residuals = samples.map { $0.residual }
    guard let smallest = residuals.min() else { return 0 }
    return residuals.select((residuals.count - 1) * 9 / 10) - smallest
  }

  /// Groups the packets into blocks and stores the bounds of each: the `rank`-th lowest residual and the `rank`-th
  /// highest ceiling.
  mutating func makeBlocks(of size: Int, rank: Int, _ parameters: TimelineParameters) {
    let count = sent.count / size
    blocks.reserveCapacity(count)
    var lowest = LowestValues(count: rank, beyond: Bound.none)
    // Ceilings with inverted sign, so that the highest is the lowest.
    var highest = lowest
    for index in 0..<count {
      lowest.removeAll()
      highest.removeAll()
      for sample in sent[(sent.count * index / count)..<(sent.count * (index + 1) / count)] {
        lowest.insert(Bound(value: sample.residual, time: sample.residualTime))
        highest.insert(Bound(value: -sample.ceiling, time: sample.ceilingTime))
      }
      let (low, high) = (lowest.greatest, highest.greatest)
      blocks.append(
        .init(residual: low.value, residualTime: low.time, ceiling: -high.value, ceilingTime: high.time))
    }
    lockedMicroseconds = measureLocked(parameters)
  }

  /// A residual, or a ceiling, and its time.
  private struct Bound: Comparable {
    var value: Double
    var time: Double

    static let none = Bound(value: .infinity, time: 0)

    static func < (one: Bound, other: Bound) -> Bool { one.value < other.value }
  }

  /// The time from its first to its last packet, in microseconds.
  var length: Double { (samples.last?.residualTime ?? 0) - (samples.first?.residualTime ?? 0) }

  /// Four beats in three packets, for instance, show three phases only; even the lowest may lie above the floor by their
  /// distance.
  private func measureLocked(_ parameters: TimelineParameters) -> Double {
    guard blocks.count > 1, let first = sent.first, let last = sent.last else { return 0 }
    let period = (last.residualTime - first.residualTime) / Double(sent.count - 1)
    let whole = 0.8 * min(interval, period)
    let size = sent.count / blocks.count
    var ranges: [Double] = []
    var gaps: [Double] = []
    for index in blocks.indices {
      let residuals = sent[(index * size)..<((index + 1) * size)].map { $0.residual }.sorted()
      let inner = residuals[...((residuals.count - 1) * 9 / 10)]
      ranges.append(inner[inner.endIndex - 1] - inner[0])
      gaps.append(zip(inner, inner.dropFirst()).reduce(0) { max($0, $1.1 - $1.0) })
    }
    let range = ranges.select(ranges.count / 2)
    let gap = gaps.select(gaps.count / 2)
    return max(0, whole - range, gap > parameters.steppedPhases * range ? gap : 0)
  }

  /// The distances of samples above the last estimated offset, and of the offset above their ceilings; empty before an
  /// estimate.
  func excesses(_ samples: [OffsetModel.Sample], slope: Double) -> [(above: Double, below: Double)] {
    guard let offset else { return [] }
    return samples.map {
      ($0.residual - slope * $0.residualTime - offset, offset - $0.ceiling + slope * $0.ceilingTime)
    }
  }
}

/// The distances of pieces of a long run from the run's own line, which show how well the line is known, and how much
/// the run wanders.
struct PieceStrays {
  /// Standard error of a beat's place, in microseconds: the error of the line together with ``wander``.
  private(set) var error = 0.0
  /// The part of the error that neighbouring pieces have in common, in microseconds.
  private(set) var wander = 0.0
  /// The number of pieces, and the sum of their squared distances from the line.
  private(set) var count = 0
  private(set) var squares = 0.0

  init() {}

  init(_ distances: [Double]) {
    guard distances.count > 1 else { return }
    // A hold that lasts for some pieces is latency and no wander: pieces far from the median are left out.
    let middle = distances.sorted()[distances.count / 2]
    let scatter = distances.map { abs($0 - middle) }.sorted()[distances.count / 2]
    let values = distances.map { $0 - middle }.filter { abs($0) < max(4 * 1.48 * scatter, 60_000) }
    guard values.count > 1 else { return }
    let count = Double(values.count)
    var sum = 0.0
    var neighbours = 0.0
    for index in values.indices {
      sum += values[index] * values[index]
      if index > 0 { neighbours += values[index] * values[index - 1] }
    }
    let variance = (sum + 2 * 4e8) / (count + 2)
    let common = max(0, neighbours / (count - 1))
    error = (variance / count + common).squareRoot()
    wander = common.squareRoot()
    squares = sum
    self.count = values.count
  }
}

extension RunEvidence {
  /// The strays of a long run; empty for a run too short to have pieces.
  func strays(_ model: OffsetModel, slope: Double, _ parameters: TimelineParameters) -> PieceStrays {
    guard let known = offset else { return PieceStrays() }
    let size = parameters.pieceBlocks
    return PieceStrays(
      stride(from: 0, through: blocks.count - size, by: size).map { start in
        model.locate(Array(blocks[start..<(start + size)]), slope: slope).offset - known
      })
  }
}

/// The errors with which short runs are placed: measured on pieces of the session's long runs, whose offset is known
/// from the whole run.
///
/// The offset model treats the packets of one run as more independent than they are. So runs of few packets are placed
/// systematically earlier or later than runs of many.
struct PlaceCalibration {
  /// The factor by which the model's own uncertainty is widened to hold in 95 % of cases.
  private(set) var inflation = 1.5
  /// Half the 95 % width of the long runs' own places, in microseconds.
  var referenceHalfWidth = 0.0
  /// The delay with which pieces of each size are placed, in microseconds.
  private var biases: [(logPackets: Double, microseconds: Double)] = []

  /// The default before anything was measured.
  init() {}

  init(_ evidence: [RunEvidence], _ model: OffsetModel, slope: Double, _ parameters: TimelineParameters) {
    var ratios: [Double] = []
    for size in parameters.calibrationPackets {
      var errors: [(error: Double, halfWidth: Double)] = []
      for run in evidence where !run.blocks.isEmpty {
        guard let known = run.offset else { continue }
        let pieces = min(run.samples.count / size, parameters.calibrationPieces)
        for piece in 0..<pieces {
          let first = run.samples.count * piece / pieces
          let samples = Array(run.samples[first..<min(first + size, run.samples.count)])
          let trust = model.trust(range: RunEvidence.range(of: samples[...]), interval: run.interval)
          let coarse = model.locate(packets: samples, slope: slope, trust: trust)
          let location = model.refine(samples, slope: slope, coarse, trust: trust)
          errors.append((location.offset - known, location.halfWidth))
        }
      }
      guard errors.count >= parameters.fewestCalibrationPieces else { break }
      let median = errors.map(\.error).sorted()[errors.count / 2]
      biases.append((log(Double(size)), median))
      ratios += errors.map { abs($0.error - median) / $0.halfWidth }
    }
    guard ratios.count >= 20 else { return }
    ratios.sort()
    // The 95 % quantile of a few pieces is itself uncertain, so its upper bound at 95 % confidence is used. Pieces of
    // different sizes are made of the same packets and count once.
    let independent = Double(ratios.count / biases.count)
    let share = 0.95 + 1.64 * (0.95 * 0.05 / independent).squareRoot()
    let rank = min(Int((Double(ratios.count) * share).rounded(.up)), ratios.count) - 1
    inflation = min(max(1, ratios[rank]), 10)
  }

  /// The delay with which a run of this many packets is placed, in microseconds.
  func bias(packets: Int) -> Double {
    guard var below = biases.first else { return 0 }
    let logPackets = log(Double(packets))
    for above in biases {
      if logPackets <= above.logPackets {
        guard above.logPackets > below.logPackets else { return above.microseconds }
        let share = (logPackets - below.logPackets) / (above.logPackets - below.logPackets)
        return below.microseconds + share * (above.microseconds - below.microseconds)
      }
      below = above
    }
    return below.microseconds
  }
}
