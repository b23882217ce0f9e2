internal import HealthModel

/// The rates of a recording for a format that has seconds, and whether a gap lies before each.
///
/// Sensors notify about once a second, and radio delays that now and then: of two rates in one second the later takes the next second, where
/// readers would else find no rate. A rate is never more than a second away from its time, and the last of a stretch not behind it; of
/// rates that come more often than seconds, the last ones stay.
package struct RateSeconds: Sequence, IteratorProtocol, Sendable {
  /// The rate of a second.
  package struct Second: Hashable, Sendable {
    /// Seconds since 1970.
    package var second: Int64
    package var beatsPerMinute: UInt16
    /// Whether rates were lost between the second before and this one.
    package var isPrecededByGap: Bool
    /// Whether the workout was paused between the second before and this one. It never is where pauses are not asked for.
    package var isPrecededByPause = false
  }

  /// In a shorter time between two rates no rate was lost, even within a gap of beats.
  package static let shortestGapMicroseconds: Int64 = 2_500_000

  private let rates: [HeartRateValue]
  private let gaps: [RecordingGap]
  private var rate = 0
  private var gap = 0
  private let pauses: [ClosedRange<Int64>]
  /// The first pause that does not end before what is compared.
  private var pause = 0
  /// A second behind which its stretch does not go on: found once, however many rates it has.
  private var endOfStretch: Int64?
  private var previous: (time: Timestamp, second: Int64)?

  /// - Parameters:
  ///   - recording: What is written.
  ///   - withoutPauses: Whether to leave out rates in pauses of the workout, for formats that cannot have them.
  package init(_ recording: InterchangeRecording, withoutPauses: Bool = false) {
    gaps = recording.gaps
    let stretches = withoutPauses ? recording.pauses : TimeStretches()
    pauses = stretches.stretches
    rates =
      stretches.isEmpty ? recording.rates : recording.rates.filter { !stretches.contains($0.time.microseconds) }
  }

  package mutating func next() -> Second? {
    guard rate < rates.count else { return nil }
    let first = rates[rate]
    let isPrecededByGap = previous.map { isGap(from: $0.time, to: first.time) } ?? false
    let isPrecededByPause = previous.map { isPause(from: $0.time, to: first.time) } ?? false
    let second = Swift.max(first.time.microseconds.flooredSeconds, previous.map { $0.second + 1 } ?? .min)
    var last = first
    rate += 1
    while rate < rates.count, !hasOwnSecond(behind: second) {
      last = rates[rate]
      rate += 1
    }
    previous = (last.time, second)
    return Second(
      second: second, beatsPerMinute: last.beatsPerMinute, isPrecededByGap: isPrecededByGap,
      isPrecededByPause: isPrecededByPause)
  }

  /// Whether the next rate has a second of its own behind one that is in use.
  private mutating func hasOwnSecond(behind second: Int64) -> Bool {
    let own = rates[rate].time.microseconds.flooredSeconds
    guard own == second else { return own > second }
    guard endOfStretch != second else { return false }
    // A rate is only moved where its stretch goes on.
    var next = rate + 1
    while next < rates.count, !isGap(from: rates[next - 1].time, to: rates[next].time),
      !isPause(from: rates[next - 1].time, to: rates[next].time)
    {
      if rates[next].time.microseconds.flooredSeconds > second { return true }
      next += 1
    }
    endOfStretch = second
    return false
  }

  private mutating func isGap(from earlier: Timestamp, to later: Timestamp) -> Bool {
    guard later.microseconds(since: earlier) >= Self.shortestGapMicroseconds else { return false }
    while gap < gaps.count, gaps[gap].end <= earlier { gap += 1 }
    return gap < gaps.count && gaps[gap].start < later
  }

  private mutating func isPause(from earlier: Timestamp, to later: Timestamp) -> Bool {
    while pause < pauses.count, pauses[pause].upperBound < earlier.microseconds { pause += 1 }
    return pause < pauses.count && pauses[pause].lowerBound < later.microseconds
  }
}

extension Int64 {
  /// Whole seconds of microseconds, rounded down.
  package var flooredSeconds: Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
