import Sensors

extension SessionTimeline {
  mutating func assemble(_ columns: TimelineCollector, _ pass: TimelinePass) {
    endReason = columns.endReason
    notifications = columns.notifications
    zeroRates = columns.zeroRates
    rates = columns.rates
    defects = columns.defects
    lostValues = columns.lostValues
    sensor = columns.sensor
    sensor.batteryLowMicroseconds = columns.batteryLow.map(columns.wall)
    clockSteps = columns.clockSteps
    beats = HeartbeatTable(
      rrTicks: pass.rrTicks, flags: pass.flags, precededByGap: pass.precededByGap, wallMicroseconds: pass.wall)
    runs = pass.runs
    quality = pass.quality
    quality.stalledMicroseconds = columns.stalledMicroseconds
    setBounds(columns)
    collectGaps(pass)
    coverage = measureCoverage()
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

  private mutating func collectGaps(_ pass: TimelinePass) {
    var run = 0
    for beat in beats.precededByGap.indices.dropFirst() where beats.precededByGap[beat] {
      while run + 1 < runs.count && runs[run + 1].beats.lowerBound <= beat { run += 1 }
      let isRunStart = runs[run].beats.lowerBound == beat
      let reason = isRunStart ? pass.starts[run].reason ?? .missedOrPause : .missedOrPause
      let start = beats.wallMicroseconds[beat - 1]
      let end = beats.wallMicroseconds[beat]
      let before = isRunStart ? runs[run - 1].beats : runs[run].beats
      let interval = pass.localInterval(at: beat - 1, within: before)
      let lost = max(0, Int((Double(end - start) / Double(interval)).rounded()) - 1)
      gaps.append(
        HeartbeatGap(
          reason: reason, beat: beat, startMicroseconds: start, endMicroseconds: end, estimatedLostBeats: lost))
    }
  }

  private func measureCoverage() -> Coverage? {
    let span = Double(endMicroseconds - startMicroseconds)
    guard span > 0, !beats.isEmpty else { return nil }
    var known: Int64 = 0
    var perhaps: Int64 = 0
    for run in runs {
      for beat in run.beats where !beats.flags[beat].contains(.filler) {
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
