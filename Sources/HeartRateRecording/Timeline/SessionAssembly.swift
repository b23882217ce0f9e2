import HealthModel
import Sensors

/// The way from arrivals to beats in time: rules 1 to 8 and 11 of Documentation/timeline.md, one step after the other.
///
/// First the breaks, then the places of the runs between them, then the flags of the beats. Each step is a value made from
/// those before it, which it does not change.
struct SessionAssembly {
  let intervals: SessionIntervals
  let depth: ReleaseDepth
  /// The beginnings of runs; the first is beat 0.
  let starts: [RunStart]
  let placement: RunPlacement
  let flags: [Heartbeat.Flags]
  let earlyPackets: Int

  /// Nil without beats.
  init?(_ columns: TimelineCollector, _ clock: SensorClock, _ parameters: TimelineParameters) {
    var intervals = SessionIntervals(columns, clock, parameters)
    guard !intervals.rrTicks.isEmpty else { return nil }
    intervals.leaveOut(SurplusIntervals.impossible(in: intervals))
    let depth = ReleaseDepth(
      DepthCosts(intervals), model: columns.sensor.information[.modelNumber], parameters)
    var residuals = Residuals(
      intervals, depth: depth.beats, starts: RunBreaks.known(in: intervals, depth: depth.beats))
    let repeated = SurplusIntervals.repeated(in: residuals, intervals)
    if !repeated.isEmpty {
      intervals.leaveOut(repeated)
      residuals = Residuals(
        intervals, depth: depth.beats, starts: RunBreaks.known(in: intervals, depth: depth.beats))
    }
    residuals.divide(atLosses: RunBreaks.merge(residuals.starts, FloorSteps(residuals, intervals).starts), intervals)
    self.intervals = intervals
    self.depth = depth
    starts = residuals.starts
    placement = RunPlacement(intervals, residuals, depth: depth.beats)
    flags = BeatJudgement(intervals, starts).flags
    earlyPackets = residuals.early.count
  }
}

extension SessionAssembly {
  /// The beats in their runs: ticks and a map for each run, and a time of its own for each beat that differs from the map.
  ///
  /// - Throws: ``HealthModel/SeriesError`` where a beat is not later than the one before it, or lies 35 minutes off its run's map: a
  ///   defect of this program.
  func heartbeats() throws(SeriesError) -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: intervals.clock.ticksPerSecond)
    builder.reserveCapacity(flags.count)
    for run in placement.runs {
      try builder.beginRun(run.map)
      for beat in run.beats {
        try builder.add(
          rrTicks: UInt32(intervals.rrTicks[beat]), precededByGap: isPrecededByGap(beat), flags: flags[beat],
          at: Timestamp(microseconds: placement.wall[beat]))
      }
    }
    return try builder.finish()
  }

  /// Whether beats may have happened since the one before it. True for the session's first beat.
  private func isPrecededByGap(_ beat: Int) -> Bool { !flags[beat].isDisjoint(with: .gap) }

  /// The gaps between beats in order: one for each beat preceded by a gap, except the session's first.
  var gaps: [RecordingGap] {
    var gaps: [RecordingGap] = []
    let runs = placement.runs
    var run = 0
    for beat in flags.indices.dropFirst() where isPrecededByGap(beat) {
      while run + 1 < runs.count && runs[run + 1].beats.lowerBound <= beat { run += 1 }
      let isRunStart = runs[run].beats.lowerBound == beat
      let start = placement.wall[beat - 1]
      let end = placement.wall[beat]
      let before = isRunStart ? runs[run - 1].beats : runs[run].beats
      let interval = intervals.localInterval(at: beat - 1, within: before)
      gaps.append(
        RecordingGap(
          isRunStart ? starts[run].reason ?? .missedOrPause : .missedOrPause, from: start, to: end,
          estimatedLostBeats: max(0, Int((Double(end - start) / Double(interval)).rounded()) - 1)))
    }
    return gaps
  }

  /// Rule 9: the share of the session that its intervals account for; nil for a session without length.
  ///
  /// The ceiling adds intervals that were received but lie between no two received beats (the first of each run, missed
  /// beats or pauses), and up to three seconds after the last beat, since beats may still have been in the sensor.
  func coverage(in bounds: SessionBounds) -> Coverage? {
    guard bounds.length > 0 else { return nil }
    var known: Int64 = 0
    var perhaps: Int64 = 0
    for beat in flags.indices where flags[beat].isDisjoint(with: [.filler, .surplus]) {
      if isPrecededByGap(beat) {
        perhaps += Int64(intervals.rrTicks[beat])
      } else {
        known += Int64(intervals.rrTicks[beat])
      }
    }
    let edges = Double(min(3_000_000, max(0, bounds.end - (placement.wall.last ?? 0))))
    let floor = Double(intervals.clock.microseconds(known)) / bounds.length
    let ceiling = (Double(intervals.clock.microseconds(known + perhaps)) + edges) / bounds.length
    return Coverage(floor: min(1, floor), ceiling: min(1, max(floor, ceiling)))
  }
}

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

extension QualityReport {
  /// The report of a session's events and beats. Counts of problems that did not happen are left out.
  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ judgement: IntervalJudgement) {
    self.init()
    algorithmVersion = SessionTimeline.algorithmVersion
    notifications = Int64(columns.notifications)
    zeroRates = Int64(columns.zeroRates)
    linkLosses = Int64(columns.sensor.disconnects.count)
    lostValues = Int64(columns.lostValues)
    (releaseDepthBeats, driftPartsPerMillion, surplusSteps) = (0, 0, 0)
    assembly?.addTiming(to: &self)
    stalledMicroseconds = columns.stalledMicroseconds > 0 ? columns.stalledMicroseconds : nil
    let leftOut = judgement.leftOutCount
    leftOutIntervals = leftOut > 0 ? Int64(leftOut) : nil
    intervalHabit = judgement.habit
    intervalSumRatio = judgement.habit == nil ? nil : judgement.ratio
    payloadDefects = columns.defects
    disconnects = Array(columns.sensor.disconnects.prefix(Self.reported))
    clockSteps = Array(columns.clockSteps.prefix(Self.reported))
    add(columns.sensor)
    batteryLow = columns.batteryLow.map { Timestamp(microseconds: columns.wall($0)) }
    add(columns.rates)
  }

  /// The most disconnects that are listed. A flapping link has thousands a day, each of which is a gap anyway.
  private static let reported = 100

  private mutating func add(_ sensor: SensorFacts) {
    batteryStartPercent = sensor.firstBatteryPercent.map(Int64.init)
    batteryEndPercent = sensor.lastBatteryPercent.map(Int64.init)
    bodySensorLocation = sensor.location.map(Int64.init)
    signalWeakestDBm = sensor.weakestSignal.map(Int64.init)
    signalStrongestDBm = sensor.strongestSignal.map(Int64.init)
  }

  /// Adds the skin contact of the measurements and their energy expended, across resets.
  private mutating func add(_ rates: [HeartRateValue]) {
    var last: UInt16?
    for rate in rates {
      if rate.contact != .notSupported { offSkinRates = (offSkinRates ?? 0) + (rate.contact == .notDetected ? 1 : 0) }
      guard let energy = rate.energyKilojoules else { continue }
      let before = last ?? energy
      // A smaller value than before: the sensor was reset and counts from zero since.
      energyKilojoules = (energyKilojoules ?? 0) + Int64(energy >= before ? energy - before : energy)
      last = energy
    }
  }
}
