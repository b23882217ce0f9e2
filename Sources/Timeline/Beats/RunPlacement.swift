import Glibc
import HealthModel

/// Rules 2 and 3: the map of each run to wall time, and each beat's time.
struct RunPlacement {
  private let intervals: SessionIntervals
  private let parameters: TimelineParameters
  private let starts: [RunStart]
  /// Early packets: their arrival is no upper bound for their beats.
  private let isEarly: [Bool]
  private(set) var drift = DriftEstimate()
  private(set) var runs: [Run] = []
  /// When each beat happened: later than the beat before it, and never later than the arrival of the notification that brought
  /// it. Microseconds since 1970 (UTC).
  private(set) var wall: [Int64] = []

  /// A run and the times of its beats.
  struct Run {
    /// Never empty.
    let beats: Range<Int>
    /// Tick 0 is the run's first beat; the interval that ended there began at a beat that was not received.
    var map: AffineTimeMap
    /// The first and the last beat, in microseconds since 1970 (UTC).
    var start: Int64 = 0
    var end: Int64 = 0
  }

  init(_ intervals: SessionIntervals, _ residuals: Residuals, depth: Int) {
    self.intervals = intervals
    parameters = intervals.parameters
    starts = residuals.starts
    var isEarly = [Bool](repeating: false, count: intervals.packets.count)
    for packet in residuals.early { isEarly[packet] = true }
    self.isEarly = isEarly
    placeRuns(residuals, depth: depth)
    moveBeforeArrivals()
  }

  private mutating func placeRuns(_ residuals: Residuals, depth: Int) {
    var evidence = starts.indices.map { RunEvidence(intervals, residuals, run: $0, depth: depth) }
    chooseReferences(&evidence, depth: depth)
    let scale = meanExcess(evidence)
    var block = OffsetModel(scale: scale / Double(parameters.blockPackets) * 2)
    // Each round knows the floor, and so the latencies above it, better than the one before.
    for _ in 0..<parameters.mapRounds {
      // The errors of packets are correlated; batches do not keep step with the beats.
      drift.refine(
        evidence, block, trust: intervals.isBatching ? parameters.batchedSlopeTrust : parameters.slopeTrust, parameters)
      var excesses: [(above: Double, below: Double)] = []
      for index in evidence.indices where !evidence[index].blocks.isEmpty {
        let coarse = block.locate(evidence[index].blocks, slope: drift.slope, around: evidence[index].offset)
        evidence[index].offset = block.refine(evidence[index].blocks, slope: drift.slope, coarse).offset
        excesses += evidence[index].excesses(evidence[index].blocks, slope: drift.slope)
      }
      block.learn(
        excesses, scale: scale / Double(parameters.blockPackets) * 2, blur: parameters.densityBlur)
    }
    drift.discardUnresolved(parameters)
    var calibration = PlaceCalibration()
    // Only short runs are placed by single packets.
    var single = block
    if evidence.indices.contains(where: { !isLong(evidence[$0]) && !starts[$0].isTimeless }) {
      if evidence.allSatisfy({ $0.blocks.isEmpty }), evidence.count >= parameters.fewestShortRuns {
        learnFromShortRuns(&evidence, &single, scale: scale)
      }
      single.learn(evidence.flatMap { $0.excesses($0.samples, slope: drift.slope) }, scale: scale)
      calibration = PlaceCalibration(evidence, single, slope: drift.slope, parameters)
    }
    let strays = evidence.map { $0.strays(block, slope: drift.slope, parameters) }
    // The scatter of few pieces is hardly known, so two more with a scatter of 20 ms are assumed.
    let pieces = strays.reduce(0) { $0 + $1.count }
    let spread = ((strays.reduce(0) { $0 + $1.squares } + 8e8) / Double(pieces + 2)).squareRoot()
    calibration.referenceHalfWidth = referenceHalfWidth(evidence, strays)
    for index in starts.indices {
      let location =
        starts[index].isTimeless
        ? nil : locate(run: index, evidence[index], single, block, calibration, strays[index], spread)
      let map = AffineTimeMap(
        anchor: Timestamp(microseconds: location?.anchor ?? 0), slopePartsPerBillion: drift.partsPerBillion,
        uncertaintyMicroseconds: location?.uncertainty ?? 0)
      runs.append(Run(beats: beats(ofRun: index), map: map))
    }
  }

  /// Learns the latencies where the link, or the contact, keeps breaking and no run is long: from all runs together,
  /// each placed by what is known so far.
  private func learnFromShortRuns(_ evidence: inout [RunEvidence], _ single: inout OffsetModel, scale: Double) {
    for round in 0..<parameters.mapRounds {
      if round > 0 { single.learn(evidence.flatMap { $0.excesses($0.samples, slope: drift.slope) }, scale: scale) }
      for index in evidence.indices where !starts[index].isTimeless {
        let samples = evidence[index].samples
        let coarse = single.locate(packets: samples, slope: drift.slope, trust: 1)
        evidence[index].offset = single.refine(samples, slope: drift.slope, coarse).offset
      }
    }
  }

  /// Chooses the runs from which the session's latencies are learnt: long ones, or the longest there are where the link
  /// keeps breaking.
  private func chooseReferences(_ evidence: inout [RunEvidence], depth: Int) {
    for least in parameters.referencePackets {
      // Latencies by arrival differ from those by sending, so only one of the two is learnt from.
      let isPaced = evidence.contains { $0.isPaced && $0.samples.count >= least }
      let chosen = evidence.indices.filter {
        evidence[$0].samples.count >= least && !starts[$0].isTimeless && evidence[$0].isPaced == isPaced
      }
      let packets = chosen.reduce(0) { $0 + evidence[$1].samples.count }
      guard packets >= parameters.enoughReferences || least == parameters.referencePackets.last else { continue }
      for index in chosen {
        if depth > 0 {
          evidence[index].makeBlocks(of: parameters.lookAheadBlockPackets, rank: parameters.lookAheadRank, parameters)
        } else {
          evidence[index].makeBlocks(of: parameters.blockPackets, rank: 1, parameters)
        }
      }
      return
    }
  }

  /// Whether a run has enough blocks to be placed by them.
  private func isLong(_ evidence: RunEvidence) -> Bool {
    evidence.blocks.count >= 2 * parameters.pieceBlocks
  }

  /// About how far the residuals of long runs lie above their floor, in microseconds.
  private func meanExcess(_ evidence: [RunEvidence]) -> Double {
    var sum = 0.0
    var count = 0
    for run in evidence {
      for block in stride(from: 0, to: run.sent.count - 29, by: 30) {
        let samples = run.sent[block..<(block + 30)]
        let smallest = samples.reduce(.infinity) { min($0, $1.residual) }
        for sample in samples { sum += min(sample.residual - smallest, parameters.lastingLatency) }
        count += 30
      }
    }
    return count > 0 ? max(sum / Double(count), 20_000) : 500_000
  }

  /// The wall time of a run's first beat, and its uncertainty.
  private func locate(
    run: Int, _ evidence: RunEvidence, _ single: OffsetModel, _ block: OffsetModel, _ calibration: PlaceCalibration,
    _ strays: PieceStrays, _ spread: Double
  ) -> (anchor: Int64, uncertainty: Int64) {
    let isLong = isLong(evidence)
    let model = isLong ? block : single
    let samples = isLong ? evidence.blocks : evidence.samples
    let slope = drift.slope
    let trust = isLong ? 1 : single.trust(range: RunEvidence.range(of: samples[...]), interval: evidence.interval)
    let coarse =
      isLong
      ? model.locate(samples, slope: slope, around: evidence.offset)
      : model.locate(packets: samples, slope: slope, trust: trust)
    let location = model.refine(samples, slope: slope, coarse, trust: trust)
    let beats = beats(ofRun: run)
    let length =
      Double(intervals.ticks[beats.upperBound - 1] - intervals.ticks[beats.lowerBound])
      * intervals.clock.microsecondsPerTick
    // Two standard errors of the slope, over half the run on each side; 95 % of the beats are a little closer.
    let tilt = 0.72 * (drift.error ?? parameters.slopeSpread) * length
    let isLone = starts.count { !$0.isTimeless } == 1
    // The place of a long session's only run is its latency, which cannot be known; a short run may also be misplaced.
    let isWhole = isLone && evidence.samples.count >= parameters.wholePackets
    let least =
      isWhole ? parameters.leastWhole : isLone ? parameters.leastLone : parameters.leastHalfWidth
    let halfWidth: Double
    if isLong {
      let own =
        isWhole ? 2 * strays.wander : max(2 * strays.error, expectedHalfWidth(packets: evidence.samples.count, spread))
      halfWidth = (tilt * tilt + own * own + least * least).squareRoot()
    } else {
      let own =
        (location.halfWidth * location.halfWidth + tilt * tilt + least * least).squareRoot() * calibration.inflation
      let reference = calibration.referenceHalfWidth
      halfWidth = (own * own + reference * reference).squareRoot()
    }
    let bias = isLong ? 0 : calibration.bias(packets: samples.count)
    let offset = location.offset - bias - slope * evidence.middle
    return (evidence.origin + Int64(offset.rounded()), Int64(halfWidth.rounded()))
  }

  /// The expected 95 % half width for a run of this many packets, where pieces of long runs lie `spread` from their lines.
  private func expectedHalfWidth(packets: Int, _ spread: Double) -> Double {
    2 * spread * (Double(parameters.pieceBlocks * parameters.blockPackets) / Double(packets)).squareRoot()
  }

  /// The average half width of the long runs with which short ones are compared: short runs are uncertain by this as well.
  private func referenceHalfWidth(_ evidence: [RunEvidence], _ strays: [PieceStrays]) -> Double {
    var sum = 0.0
    var count = 0.0
    for index in evidence.indices where isLong(evidence[index]) {
      sum += strays[index].error * strays[index].error
      count += 1
    }
    return count > 0 ? 2 * (sum / count).squareRoot() : 0
  }

  private func beats(ofRun index: Int) -> Range<Int> {
    starts[index].beat..<(index + 1 < starts.count ? starts[index + 1].beat : intervals.rrTicks.count)
  }
}

extension RunPlacement {
  /// Moves runs earlier until no beat is later than its packet's arrival and beats strictly increase over the session.
  ///
  /// First all runs move by the same amount, which only changes the constant latency. Moved one by one, runs of many
  /// packets would come to lie before those of few, because some of many packets always lie below the floor.
  private mutating func moveBeforeArrivals() {
    wall = [Int64](repeating: 0, count: intervals.rrTicks.count)
    var latest: Int64 = 0
    for index in runs.indices where !starts[index].isTimeless { latest = max(latest, place(index)) }
    var bound = Int64.max
    for index in runs.indices.reversed() {
      if starts[index].isTimeless {
        // The previous run must leave room for each of them before the first one's arrival.
        let beats = runs[index].beats
        bound = min(bound, arrival(of: beats.lowerBound) + 1) - Int64(beats.count)
        continue
      }
      move(index, by: -latest)
      let overlap = bound == .max ? 0 : runs[index].end - bound + 1
      move(index, by: -max(overlap, 0))
      bound = runs[index].start
    }
    for index in runs.indices where starts[index].isTimeless { spreadTimeless(index) }
  }

  /// When the packet of a beat arrived.
  private func arrival(of beat: Int) -> Int64 {
    intervals.packets[Int(intervals.packetOfBeat[beat])].arrival
  }

  /// Gives the beats of a run the times of its map. Returns how much later than its packet's arrival the latest beat is.
  private mutating func place(_ index: Int) -> Int64 {
    let (beats, map) = (runs[index].beats, runs[index].map)
    var ticks: Int64 = 0
    var late = Int64.min
    var previous = Int64.min
    for beat in beats {
      if beat > beats.lowerBound { ticks += Int64(intervals.rrTicks[beat]) }
      let time = max(map.time(atTicks: ticks, timescale: intervals.clock.ticksPerSecond).microseconds, previous &+ 1)
      previous = time
      wall[beat] = time
      let packet = Int(intervals.packetOfBeat[beat])
      if !isEarly[packet] { late = max(late, time - intervals.packets[packet].arrival) }
    }
    runs[index].start = wall[beats.lowerBound]
    runs[index].end = wall[beats.upperBound - 1]
    return late
  }

  private mutating func move(_ index: Int, by microseconds: Int64) {
    guard microseconds != 0 else { return }
    for beat in runs[index].beats { wall[beat] += microseconds }
    runs[index].map.anchor = runs[index].map.anchor.advanced(byMicroseconds: microseconds)
    runs[index].start += microseconds
    runs[index].end += microseconds
  }

  /// Intervals that are no beats have no time of their own: they are spread over the time between the neighbouring beats
  /// and their own arrival.
  private mutating func spreadTimeless(_ index: Int) {
    let beats = runs[index].beats
    var end = arrival(of: beats.upperBound - 1)
    // Other such runs may follow; they come after this one.
    if let next = runs.indices[(index + 1)...].first(where: { !starts[$0].isTimeless }) {
      end = min(end, runs[next].start - 1 - Int64(runs[next].beats.lowerBound - beats.upperBound))
    }
    var start = min(arrival(of: beats.lowerBound), end - Int64(beats.count))
    if index > 0 { start = max(start, runs[index - 1].end + 1) }
    let length = intervals.clock.microseconds(
      intervals.rrTicks[(beats.lowerBound + 1)..<beats.upperBound].reduce(0) { $0 + Int64($1) })
    let scale = length > 0 ? Double(end - start) / Double(length) - 1 : 0
    runs[index].map = AffineTimeMap(
      anchor: Timestamp(microseconds: start),
      slopePartsPerBillion: Int32(clamping: Int64((min(scale, 1) * 1e9).rounded(.down))),
      uncertaintyMicroseconds: 1_000_000)
    let late = place(index)
    if late > 0 { move(index, by: -late) }
    let previous = index > 0 ? runs[index - 1].end : .min
    guard runs[index].start <= previous || runs[index].end > end else { return }
    // No room between the neighbours: the beats lie one microsecond apart.
    runs[index].map.anchor = Timestamp(microseconds: index > 0 ? previous + 1 : end - Int64(beats.count) + 1)
    runs[index].map.slopePartsPerBillion = -1_000_000_000
    _ = place(index)
  }
}
