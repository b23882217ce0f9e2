package import HealthModel

/// The beats of a series for a format that has intervals: each with the interval from the beat before, where that was measured
/// from beat to beat.
///
/// No interval spans a gap, and the first of a run has none: it began at a beat that was not received. Beats that were invented, or
/// for which there was no time, are left out, and what follows them begins anew. So are, for a format that has a timer, those that were in a
/// pause of the workout.
package struct MeasuredBeats: Sequence, IteratorProtocol, Sendable {
  /// A beat of a stretch.
  package struct Beat: Hashable, Sendable {
    /// The time of the beat.
    package var time: Timestamp
    /// The time since the beat before, in milliseconds or in the parts of a second that were asked for; nil for the first beat of a stretch.
    ///
    /// The difference of rounded sums of ticks: rounding does not add up over a stretch. Where the sensor's clock goes wrong and that
    /// was asked for, one more or less keeps the sum near the clock.
    package var interval: Int64?
    /// The doubts about the beat.
    package var flags: Heartbeat.Flags
  }

  private var located: HeartbeatSeries.LocatedBeats
  private let span: TimeSpan
  private let timescale: Int64
  private let perSecond: Int64
  private var run = -1
  private var isBroken = true
  private var ticks: Int64 = 0
  private var sum: Int64 = 0
  private var first = Timestamp(microseconds: 0)
  /// The corrections so far, by which the sum follows the clock.
  private var correction: Int64 = 0
  private let followsClock: Bool
  private let pauses: [ClosedRange<Int64>]
  /// The first pause that does not end before the beat under way.
  private var pause = 0

  /// The distance between a sum of intervals and the clock from which the sum is corrected. At 7 parts per million ten hours are less.
  package static let mostDriftMilliseconds: Int64 = 250

  /// An interval that is longer fits no format, and is no interval of a heart.
  package static let longestMilliseconds: Int64 = 65_534

  /// The beats in the time of `recording`: a session may be longer than the workout that it belongs to.
  ///
  /// - Parameters:
  ///   - recording: What is written.
  ///   - perSecond: How many parts of a second intervals are counted in: the series' own ticks are exact.
  ///   - followsClock: For formats whose readers add intervals up to times. Otherwise they are the sensor's own.
  ///   - withoutPauses: For formats whose timer stands in pauses of the workout. No interval spans one then.
  package init(
    _ recording: InterchangeRecording, perSecond: Int64 = 1000, followsClock: Bool = false, withoutPauses: Bool = false
  ) {
    pauses = withoutPauses ? recording.pauses.stretches : []
    self.perSecond = perSecond
    self.followsClock = followsClock
    located = recording.heartbeats.locatedBeats
    timescale = Int64(recording.heartbeats.timescale)
    span = recording.span
  }

  package mutating func next() -> Beat? {
    while let one = located.next() {
      guard one.time >= span.start, one.time <= span.end else { continue }
      guard !isPaused(at: one.time.microseconds) else { continue }
      guard one.beat.flags.isDisjoint(with: [.surplus, .filler]) else {
        isBroken = true
        continue
      }
      let isFirst = isBroken || one.beat.precededByGap || one.index == 0 || one.run != run
      run = one.run
      isBroken = false
      guard !isFirst else { return begin(one) }
      ticks += Int64(one.beat.rrTicks)
      var rounded = (ticks * 2 * perSecond + timescale) / (2 * timescale) + correction
      if followsClock {
        let drift = one.time.microseconds(since: first) * perSecond / 1_000_000 - rounded
        let most = Self.mostDriftMilliseconds * perSecond / 1000
        let step: Int64 = drift > most ? 1 : drift < -most ? -1 : 0
        correction += step
        rounded += step
      }
      let interval = rounded - sum
      guard interval > 0, interval <= Self.longestMilliseconds * perSecond / 1000 else { return begin(one) }
      sum = rounded
      return Beat(time: one.time, interval: interval, flags: one.beat.flags)
    }
    return nil
  }

  /// Whether a time lies in a pause. A stretch begins anew behind a pause, however short.
  private mutating func isPaused(at microseconds: Int64) -> Bool {
    while pause < pauses.count, pauses[pause].upperBound < microseconds {
      pause += 1
      isBroken = true
    }
    guard pause < pauses.count, pauses[pause].lowerBound <= microseconds else { return false }
    isBroken = true
    return true
  }

  private mutating func begin(_ one: HeartbeatSeries.LocatedBeat) -> Beat {
    (ticks, sum, correction, first) = (0, 0, 0, one.time)
    return Beat(time: one.time, interval: nil, flags: one.beat.flags)
  }
}
