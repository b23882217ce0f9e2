import Glibc

extension TimelinePass {
  /// Rule 2 and 3: gives each run its map, and each beat its time.
  mutating func map(_ residuals: Residuals) {
    var evidence = starts.indices.map { RunEvidence(self, residuals, run: $0) }
    chooseReferences(&evidence)
    let scale = meanExcess(evidence)
    var single = OffsetModel(scale: scale)
    var block = OffsetModel(scale: scale / Double(parameters.blockPackets) * 2)
    // Each round knows the floor, and so the latencies above it, better than the one before.
    for _ in 0..<parameters.mapRounds {
      estimateSlope(evidence, block)
      var excesses: [(above: Double, below: Double)] = []
      for index in evidence.indices where !evidence[index].blocks.isEmpty {
        let slope = Double(slope) * 1e-9
        let coarse = block.locate(evidence[index].blocks, slope: slope, around: evidence[index].offset)
        evidence[index].offset = block.refine(evidence[index].blocks, slope: slope, coarse).offset
        excesses += evidence[index].excesses(evidence[index].blocks, slope: slope)
      }
      block.learn(
        excesses, scale: scale / Double(parameters.blockPackets) * 2, blur: parameters.densityBlur)
    }
    var calibration = PlaceCalibration()
    if evidence.indices.contains(where: { !isLong(evidence[$0]) && !starts[$0].isFiller }) {
      let slope = Double(slope) * 1e-9
      single.learn(evidence.flatMap { $0.excesses($0.samples, slope: slope) }, scale: scale)
      calibration = PlaceCalibration(evidence, single, slope: slope, parameters)
    }
    let pieces = evidence.map { strayings($0, block) }
    let spread = Self.spread(pieces.joined())
    calibration.referenceHalfWidth = referenceHalfWidth(evidence, spread)
    for index in starts.indices {
      let location =
        starts[index].isFiller
        ? nil : locate(run: index, evidence[index], single, block, calibration, spread, pieces[index])
      let map = RunMap(
        anchorMicroseconds: location?.anchor ?? 0, slopePartsPerBillion: slope,
        uncertaintyMicroseconds: location?.uncertainty ?? 0)
      runs.append(
        HeartbeatRun(index: index, beats: beats(ofRun: index), map: map, startMicroseconds: 0, endMicroseconds: 0))
    }
    settleRuns()
  }

  /// Long runs teach the session's latencies; where a link keeps breaking the longest there are must do.
  private func chooseReferences(_ evidence: inout [RunEvidence]) {
    for least in parameters.referencePackets {
      let chosen = evidence.indices.filter { evidence[$0].samples.count >= least && !starts[$0].isFiller }
      let packets = chosen.reduce(0) { $0 + evidence[$1].samples.count }
      guard packets >= parameters.enoughReferences || least == parameters.referencePackets.last else { continue }
      for index in chosen { evidence[index].makeBlocks(of: parameters.blockPackets) }
      return
    }
  }

  /// Whether a run has blocks enough to be placed by them.
  private func isLong(_ evidence: RunEvidence) -> Bool {
    evidence.blocks.count >= 2 * parameters.pieceBlocks
  }

  /// About how far the residuals of long runs lie above their floor, in microseconds.
  private func meanExcess(_ evidence: [RunEvidence]) -> Double {
    var sum = 0.0
    var count = 0
    for run in evidence {
      for block in stride(from: 0, to: run.samples.count - 29, by: 30) {
        let samples = run.samples[block..<(block + 30)]
        let smallest = samples.reduce(.infinity) { min($0, $1.residual) }
        for sample in samples { sum += sample.residual - smallest }
        count += 30
      }
    }
    return count > 0 ? max(sum / Double(count), 20_000) : 500_000
  }

  /// One slope for the session: what is most likely for the floors of all long runs together.
  ///
  /// Sensors' clocks are good to some tens of parts per million: that much is believed beforehand, so that a slope which
  /// cannot be resolved comes out as 0.
  private mutating func estimateSlope(_ evidence: [RunEvidence], _ model: OffsetModel) {
    let long = evidence.filter { !$0.blocks.isEmpty }
    guard !long.isEmpty else { return }
    var centre = Double(slope) * 1e-9
    var error = parameters.slopeSpread
    let steps: [(Double, Int)] = slopeError == nil ? [(50e-6, 6), (15e-6, 4)] : [(6e-6, 4)]
    for (step, reach) in steps {
      var slopes: [Double] = []
      var likelihood: [Double] = []
      for index in -reach...reach {
        let slope = centre + Double(index) * step
        var sum = 0.0
        for run in long { sum += model.locate(run.blocks, slope: slope, around: run.offset).evidence }
        sum *= parameters.slopeTrust
        sum -= slope * slope / (2 * parameters.slopeSpread * parameters.slopeSpread)
        slopes.append(slope)
        likelihood.append(sum)
      }
      let greatest = likelihood.max() ?? 0
      var total = 0.0
      var mean = 0.0
      for index in slopes.indices {
        likelihood[index] = exp(likelihood[index] - greatest)
        total += likelihood[index]
        mean += likelihood[index] * slopes[index]
      }
      mean /= total
      var variance = step * step / 12
      for index in slopes.indices {
        variance += likelihood[index] / total * (slopes[index] - mean) * (slopes[index] - mean)
      }
      centre = mean
      error = variance.squareRoot()
    }
    guard error < parameters.greatestSlopeError else {
      slope = 0
      slopeError = nil
      return
    }
    slope = Int32((min(max(centre, -parameters.greatestSlope), parameters.greatestSlope) * 1e9).rounded())
    slopeError = error * 1e6
  }

  /// Wall time of a run's first beat.
  private func locate(
    run: Int, _ evidence: RunEvidence, _ single: OffsetModel, _ block: OffsetModel, _ calibration: PlaceCalibration,
    _ spread: Double, _ strayings: [Double]
  ) -> (anchor: Int64, uncertainty: Int64) {
    let isLong = isLong(evidence)
    let model = isLong ? block : single
    let samples = isLong ? evidence.blocks : evidence.samples
    let slope = Double(slope) * 1e-9
    let trust = isLong ? 1 : single.trust(range: RunEvidence.range(of: samples[...]), interval: evidence.interval)
    let coarse = model.locate(samples, slope: slope, around: isLong ? evidence.offset : nil, trust: trust)
    let location = model.refine(samples, slope: slope, coarse, trust: trust)
    let beats = beats(ofRun: run)
    let length = Double(ticks[beats.upperBound - 1] - ticks[beats.lowerBound]) * (15_625 / 16)
    let drift = (slopeError ?? parameters.slopeSpread * 1e6) * 1e-6 * length
    var halfWidth = (location.halfWidth * location.halfWidth + drift * drift + 400e6).squareRoot()
    if isLong {
      halfWidth = max(halfWidth, expectedHalfWidth(packets: Double(evidence.samples.count), spread))
      halfWidth = max(halfWidth, 2 * Self.spread(strayings))
    } else {
      halfWidth *= calibration.inflation
      let reference = calibration.referenceHalfWidth
      halfWidth = (halfWidth * halfWidth + reference * reference).squareRoot()
    }
    let bias = isLong ? 0 : calibration.bias(packets: samples.count)
    let offset = location.offset - bias - slope * evidence.middle
    return (evidence.origin + Int64(offset.rounded()), Int64(halfWidth.rounded()))
  }

  /// How well the place of a run of so many packets is known where pieces of long runs lie `spread` from their lines.
  private func expectedHalfWidth(packets: Double, _ spread: Double) -> Double {
    2 * spread * (Double(parameters.pieceBlocks * parameters.blockPackets) / packets).squareRoot()
  }

  /// How well the runs are placed, on average, that short ones are compared with: they are uncertain by that as well.
  private func referenceHalfWidth(_ evidence: [RunEvidence], _ spread: Double) -> Double {
    let references = evidence.filter { !$0.blocks.isEmpty }
    guard !references.isEmpty else { return 0 }
    let packets = references.reduce(0) { $0 + $1.samples.count }
    return expectedHalfWidth(packets: Double(packets) / Double(references.count), spread)
  }

  /// How far each piece of a long run lies from the run's line, in microseconds; none of a short one.
  private func strayings(_ run: RunEvidence, _ model: OffsetModel) -> [Double] {
    guard let known = run.offset else { return [] }
    let size = parameters.pieceBlocks
    return stride(from: 0, through: run.blocks.count - size, by: size).map { start in
      let piece = Array(run.blocks[start..<(start + size)])
      return model.locate(piece, slope: Double(slope) * 1e-9).offset - known
    }
  }

  /// How far pieces lie from their lines all in all: what wanders, and losses too small to be seen.
  private static func spread(_ strayings: some Sequence<Double>) -> Double {
    var sum = 0.0
    var count = 0.0
    for distance in strayings {
      sum += distance * distance
      count += 1
    }
    return count > 0 ? (sum / count).squareRoot() : 0
  }

  /// Makes no beat later than its own packet's arrival, and beats strictly increase over the session, by moving runs
  /// earlier.
  ///
  /// For the first all move by the same amount: a constant latency says nothing, while one by one the runs of many packets,
  /// some of which always lie below the floor, would come to lie before those of few.
  private mutating func settleRuns() {
    wall = [Int64](repeating: 0, count: rrTicks.count)
    var latest: Int64 = 0
    for index in runs.indices where !starts[index].isFiller { latest = max(latest, place(index)) }
    var bound = Int64.max
    for index in runs.indices.reversed() {
      if starts[index].isFiller {
        // What comes before leaves room for each of them, ahead of the first one's arrival.
        let beats = runs[index].beats
        let arrival = packets[Int(packetOfBeat[beats.lowerBound])].arrival
        bound = min(bound, arrival + 1) - Int64(beats.count)
        continue
      }
      move(index, by: -latest)
      let overlap = bound == .max ? 0 : runs[index].endMicroseconds - bound + 1
      move(index, by: -max(overlap, 0))
      bound = runs[index].startMicroseconds
    }
    for index in runs.indices where starts[index].isFiller { fitFillers(index) }
  }

  /// Gives the beats of a run the times of its map; returns by how much one is later than its packet's arrival.
  private mutating func place(_ index: Int) -> Int64 {
    let beats = runs[index].beats
    let origin = ticks[beats.lowerBound]
    var late = Int64.min
    var previous = Int64.min
    for beat in beats {
      let time = max(runs[index].map.microseconds(atTicks: ticks[beat] - origin), previous &+ 1)
      previous = time
      wall[beat] = time
      late = max(late, time - packets[Int(packetOfBeat[beat])].arrival)
    }
    runs[index].startMicroseconds = wall[beats.lowerBound]
    runs[index].endMicroseconds = wall[beats.upperBound - 1]
    return late
  }

  private mutating func move(_ index: Int, by microseconds: Int64) {
    guard microseconds != 0 else { return }
    for beat in runs[index].beats { wall[beat] += microseconds }
    runs[index].map.anchorMicroseconds += microseconds
    runs[index].startMicroseconds += microseconds
    runs[index].endMicroseconds += microseconds
  }

  /// Invented intervals keep no time of their own: they are spread over the time between their neighbours' beats and
  /// their own arrival.
  private mutating func fitFillers(_ index: Int) {
    let beats = runs[index].beats
    let arrival = packets[Int(packetOfBeat[beats.upperBound - 1])].arrival
    var end = arrival
    if index + 1 < runs.count { end = min(end, runs[index + 1].startMicroseconds - 1) }
    let length = RunMap.microseconds(ticks: ticks[beats.upperBound - 1] - ticks[beats.lowerBound])
    let first = packets[Int(packetOfBeat[beats.lowerBound])].arrival
    var start = min(first, end - Int64(beats.count))
    if index > 0 { start = max(start, runs[index - 1].endMicroseconds + 1) }
    let span = end - start
    let scale = length > 0 ? Double(span) / Double(length) - 1 : 0
    runs[index].map = RunMap(
      anchorMicroseconds: start, slopePartsPerBillion: Int32(clamping: Int64((min(scale, 1) * 1e9).rounded(.down))),
      uncertaintyMicroseconds: 1_000_000)
    let late = place(index)
    if late > 0 { move(index, by: -late) }
    guard index > 0, runs[index].startMicroseconds <= runs[index - 1].endMicroseconds else { return }
    // No room to spread them: one after the other, a microsecond apart.
    runs[index].map.anchorMicroseconds = runs[index - 1].endMicroseconds + 1
    runs[index].map.slopePartsPerBillion = -1_000_000_000
    _ = place(index)
  }
}
