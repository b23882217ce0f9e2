import HealthModel

/// The gaps of a session: of its beats, and of its rates where there are no beats (rules 9 and 10 of Documentation/timeline.md).
struct SessionGaps {
  /// In order of time.
  private(set) var gaps: [RecordingGap] = []
  private let columns: TimelineCollector
  /// The rates after the last beat; all rates in a session without beats.
  private var tail = RateTrace()

  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ bounds: SessionBounds) {
    self.columns = columns
    var tail = RateTrace()
    defer { self.tail = tail }
    guard let assembly, let firstBeat = assembly.placement.wall.first, let first = columns.firstPacket,
      let last = columns.lastPacket, let firstPacket = assembly.intervals.packets.first,
      let lastPacket = assembly.intervals.packets.last
    else {
      append(rates: 0..<columns.rates.count, losses: columns.losses[...], into: &tail)
      return
    }
    var head = RateTrace()
    append(rates: 0..<first.rate, losses: columns.losses[..<first.loss], into: &head)
    if let gap = head.append(firstPacket.rate, at: firstBeat) { gaps.append(gap) }
    // The first beat happened before its packet arrived, perhaps before earlier rates: from there on only beats decide.
    gaps.removeAll { $0.start.microseconds >= firstBeat || $0.end.microseconds > firstBeat }
    gaps += assembly.gaps
    _ = tail.append(lastPacket.rate, at: lastPacket.arrival)
    append(rates: last.rate..<columns.rates.count, losses: columns.losses[last.loss...], into: &tail)
  }

  /// The share of a session without beats that its rates cover; nil without rates, or without length.
  func rateCoverage(in bounds: SessionBounds) -> Coverage? {
    guard bounds.length > 0, !columns.rates.isEmpty else { return nil }
    let share = min(1, Double(tail.coveredMicroseconds(until: bounds.end)) / bounds.length)
    return Coverage(floor: share, ceiling: share)
  }

  /// Rule 10: appends these rates, and what happened between them, to `trace` and keeps the gaps that it finds.
  ///
  /// A rate that the sensor reports as off the skin does not count.
  private mutating func append(
    rates positions: Range<Int>, losses: ArraySlice<TimelineCollector.Loss>, into trace: inout RateTrace
  ) {
    var rest = losses
    for position in positions {
      while let loss = rest.first, loss.rate <= position { lose(rest.removeFirst(), &trace) }
      let rate = columns.rates[position]
      guard rate.contact != .notDetected else {
        trace.leaveSkin(at: rate.time.microseconds)
        continue
      }
      if let gap = trace.append(rate.beatsPerMinute, at: rate.time.microseconds) { gaps.append(gap) }
    }
    for loss in rest { lose(loss, &trace) }
  }

  private func lose(_ loss: TimelineCollector.Loss, _ trace: inout RateTrace) {
    let instant = columns.wall(loss.moment)
    if loss.reason == .contact {
      trace.leaveSkin(at: instant)
    } else {
      trace.lose(loss.reason, at: instant)
    }
  }
}
