import GATTHeartRate

extension SessionTimeline {
  /// Rule 10: lets `trace` see these rates and what happened between them, and keeps the gaps that they leave.
  ///
  /// A rate from off the skin is none: the sensor says so itself.
  mutating func collectRateGaps(
    _ columns: TimelineCollector, rates positions: Range<Int>, losses: ArraySlice<TimelineCollector.Loss>,
    _ trace: inout RateTrace
  ) {
    var rest = losses
    for position in positions {
      while let loss = rest.first, loss.rate <= position { lose(rest.removeFirst(), columns, &trace) }
      let rate = rates.withoutEnergy(at: position)
      guard rate.contact != .notDetected else {
        trace.leaveSkin(at: rate.wallMicroseconds)
        continue
      }
      if let gap = trace.take(rate.beatsPerMinute, at: rate.wallMicroseconds) { gaps.append(gap) }
    }
    for loss in rest { lose(loss, columns, &trace) }
  }

  private func lose(_ loss: TimelineCollector.Loss, _ columns: TimelineCollector, _ trace: inout RateTrace) {
    let instant = columns.wall(loss.moment)
    if loss.reason == .contact {
      trace.leaveSkin(at: instant)
    } else {
      trace.lose(loss.reason, at: instant)
    }
  }

  /// Which share of the session its rates cover; nil where there are none, or no time.
  func coverage(of trace: RateTrace) -> Coverage? {
    let span = Double(endMicroseconds - startMicroseconds)
    guard span > 0, !rates.isEmpty else { return nil }
    let share = min(1, Double(trace.coveredMicroseconds(until: endMicroseconds)) / span)
    return Coverage(floor: share, ceiling: share)
  }
}
