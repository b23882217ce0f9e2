import Sensors

extension SessionTimeline {
  mutating func assemble(_ columns: TimelineCollector, _ assembly: SessionAssembly?) {
    endReason = columns.endReason
    notifications = columns.notifications
    zeroRates = columns.zeroRates
    rates = columns.rates
    defects = columns.defects
    lostValues = columns.lostValues
    sensor = columns.sensor
    sensor.batteryLowMicroseconds = columns.batteryLow.map(columns.wall)
    clockSteps = columns.clockSteps
    if let assembly {
      beats = HeartbeatTable(
        rrTicks: assembly.intervals.rrTicks, flags: assembly.flags,
        precededByGap: assembly.flags.map { !$0.isDisjoint(with: .gap) }, wallMicroseconds: assembly.placement.wall)
      runs = assembly.placement.runs
      quality = assembly.quality
    }
    quality.stalledMicroseconds = columns.stalledMicroseconds
    setBounds(columns)
    let trace = collectGaps(columns, assembly)
    coverage = beats.isEmpty ? coverage(of: trace) : measureCoverage()
  }

  private mutating func setBounds(_ columns: TimelineCollector) {
    let firstEvent = columns.firstEvent.map(columns.wall) ?? 0
    let first = columns.firstNotification.map(columns.wall) ?? firstEvent
    let last = columns.lastNotification.map(columns.wall) ?? first
    startMicroseconds = min(first, beats.wallMicroseconds.first ?? first)
    endMicroseconds = last
    switch endReason {
    // Somebody decided when it ends; else it ended when the sensor fell silent.
    case .request, .shutdown, .rolled: endMicroseconds = max(last, columns.end.map(columns.wall) ?? last)
    case .away, .offSkin, .captureEnd, .recovered, nil: break
    }
  }

  /// Returns what the rates alone cover.
  private mutating func collectGaps(_ columns: TimelineCollector, _ assembly: SessionAssembly?) -> RateTrace {
    guard let assembly, let firstBeat = beats.wallMicroseconds.first, let first = columns.firstPacket,
      let last = columns.lastPacket, let firstPacket = assembly.intervals.packets.first,
      let lastPacket = assembly.intervals.packets.last
    else {
      var trace = RateTrace()
      collectRateGaps(columns, rates: 0..<rates.count, losses: columns.losses[...], &trace)
      return trace
    }
    var head = RateTrace()
    collectRateGaps(columns, rates: 0..<first.rate, losses: columns.losses[..<first.loss], &head)
    if let gap = head.take(firstPacket.rate, at: firstBeat) { gaps.append(gap) }
    // The first beat happened before its packet arrived, perhaps before rates that came earlier: from there on beats tell.
    gaps.removeAll { $0.startMicroseconds >= firstBeat || $0.endMicroseconds > firstBeat }
    collectBeatGaps(assembly)
    var tail = RateTrace()
    _ = tail.take(lastPacket.rate, at: lastPacket.arrival)
    collectRateGaps(columns, rates: last.rate..<rates.count, losses: columns.losses[last.loss...], &tail)
    return tail
  }

  private mutating func collectBeatGaps(_ assembly: SessionAssembly) {
    var run = 0
    for beat in beats.precededByGap.indices.dropFirst() where beats.precededByGap[beat] {
      while run + 1 < runs.count && runs[run + 1].beats.lowerBound <= beat { run += 1 }
      let isRunStart = runs[run].beats.lowerBound == beat
      let reason = isRunStart ? assembly.starts[run].reason ?? .missedOrPause : .missedOrPause
      let start = beats.wallMicroseconds[beat - 1]
      let end = beats.wallMicroseconds[beat]
      let before = isRunStart ? runs[run - 1].beats : runs[run].beats
      let interval = assembly.intervals.localInterval(at: beat - 1, within: before)
      let lost = max(0, Int((Double(end - start) / Double(interval)).rounded()) - 1)
      gaps.append(
        SessionGap(
          reason: reason, beat: beat, startMicroseconds: start, endMicroseconds: end, estimatedLostBeats: lost))
    }
  }

  private func measureCoverage() -> Coverage? {
    let span = Double(endMicroseconds - startMicroseconds)
    guard span > 0 else { return nil }
    var known: Int64 = 0
    var perhaps: Int64 = 0
    for run in runs {
      for beat in run.beats where beats.flags[beat].isDisjoint(with: [.filler, .surplus]) {
        if beats.precededByGap[beat] {
          perhaps += Int64(beats.rrTicks[beat])
        } else {
          known += Int64(beats.rrTicks[beat])
        }
      }
    }
    let edges = Double(min(3_000_000, max(0, endMicroseconds - (beats.wallMicroseconds.last ?? 0))))
    let floor = Double(RunMap.microseconds(ticks: known)) / span
    let ceiling = (Double(RunMap.microseconds(ticks: known + perhaps)) + edges) / span
    return Coverage(floor: min(1, floor), ceiling: min(1, max(floor, ceiling)))
  }
}
