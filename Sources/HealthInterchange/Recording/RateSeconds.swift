internal import HealthModel

/// The rates of a recording for a format that has seconds: the last of each second, and whether a gap lies before it.
package struct RateSeconds: Sequence, IteratorProtocol, Sendable {
  /// The rate of a second.
  package struct Second: Hashable, Sendable {
    /// Seconds since 1970.
    package var second: Int64
    package var beatsPerMinute: UInt16
    /// Whether rates were lost between the second before and this one.
    package var isPrecededByGap: Bool
  }

  /// A shorter time between two rates is none in which rates were lost, whatever beats say.
  package static let shortestGapMicroseconds: Int64 = 2_500_000

  private let rates: [HeartRateValue]
  private let gaps: [RecordingGap]
  private var rate = 0
  private var gap = 0
  private var previous: Timestamp?

  package init(_ recording: InterchangeRecording) {
    rates = recording.rates
    gaps = recording.gaps
  }

  package mutating func next() -> Second? {
    guard rate < rates.count else { return nil }
    let first = rates[rate]
    let second = first.time.microseconds.flooredSeconds
    let isPrecededByGap = previous.map { isGap(from: $0, to: first.time) } ?? false
    var last = first
    while rate < rates.count, rates[rate].time.microseconds.flooredSeconds == second {
      last = rates[rate]
      rate += 1
    }
    previous = last.time
    return Second(second: second, beatsPerMinute: last.beatsPerMinute, isPrecededByGap: isPrecededByGap)
  }

  private mutating func isGap(from earlier: Timestamp, to later: Timestamp) -> Bool {
    guard later.microseconds(since: earlier) >= Self.shortestGapMicroseconds else { return false }
    while gap < gaps.count, gaps[gap].end <= earlier { gap += 1 }
    return gap < gaps.count && gaps[gap].start < later
  }
}

extension Int64 {
  /// Whole seconds of microseconds, rounded down.
  package var flooredSeconds: Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
