package import HealthModel

/// The beats of a series for a format that has intervals: each with the interval from the beat before, where that was measured
/// from beat to beat.
///
/// No interval spans a gap, and the first of a run has none: it began at a beat that was not received. Beats that were invented, or
/// for which there was no time, are left out, and what follows them begins anew.
package struct MeasuredBeats: Sequence, IteratorProtocol, Sendable {
  /// A beat of a stretch.
  package struct Beat: Hashable, Sendable {
    /// When it was.
    package var time: Timestamp
    /// Milliseconds from the beat before it; nil for the first of a stretch.
    ///
    /// The difference of rounded sums of ticks: rounding does not add up over a stretch. Where the sensor's clock goes wrong and that
    /// was asked for, a millisecond more or less keeps the sum near the clock.
    package var milliseconds: Int64?
    /// What was found about it.
    package var flags: Heartbeat.Flags
  }

  private var located: HeartbeatSeries.LocatedBeats
  private let span: TimeSpan
  private let timescale: Int64
  private var run = -1
  private var isBroken = true
  private var ticks: Int64 = 0
  private var sum: Int64 = 0
  private var first = Timestamp(microseconds: 0)
  /// What was added so that the sum follows the clock.
  private var correction: Int64 = 0
  private let followsClock: Bool

  /// How far a sum of intervals may be from the clock before it is corrected. At 7 parts per million ten hours are less.
  package static let mostDriftMilliseconds: Int64 = 250

  /// An interval that is longer fits no format, and is no interval of a heart.
  package static let longestMilliseconds: Int64 = 65_534

  /// The beats in the time of `recording`: a session may be longer than the workout that it belongs to.
  ///
  /// - Parameters:
  ///   - recording: What is written.
  ///   - followsClock: For formats whose readers add intervals up to times. Otherwise they are the sensor's own.
  package init(_ recording: InterchangeRecording, followsClock: Bool = false) {
    self.followsClock = followsClock
    located = recording.heartbeats.locatedBeats
    timescale = Int64(recording.heartbeats.timescale)
    span = recording.span
  }

  package mutating func next() -> Beat? {
    while let one = located.next() {
      guard one.time >= span.start, one.time <= span.end else { continue }
      guard one.beat.flags.isDisjoint(with: [.surplus, .filler]) else {
        isBroken = true
        continue
      }
      let isFirst = isBroken || one.beat.precededByGap || one.index == 0 || one.run != run
      run = one.run
      isBroken = false
      guard !isFirst else { return begin(one) }
      ticks += Int64(one.beat.rrTicks)
      var rounded = (ticks * 2000 + timescale) / (2 * timescale) + correction
      if followsClock {
        let drift = one.time.microseconds(since: first) / 1000 - rounded
        let step: Int64 = drift > Self.mostDriftMilliseconds ? 1 : drift < -Self.mostDriftMilliseconds ? -1 : 0
        correction += step
        rounded += step
      }
      let milliseconds = rounded - sum
      guard milliseconds > 0, milliseconds <= Self.longestMilliseconds else { return begin(one) }
      sum = rounded
      return Beat(time: one.time, milliseconds: milliseconds, flags: one.beat.flags)
    }
    return nil
  }

  private mutating func begin(_ one: HeartbeatSeries.LocatedBeat) -> Beat {
    (ticks, sum, correction, first) = (0, 0, 0, one.time)
    return Beat(time: one.time, milliseconds: nil, flags: one.beat.flags)
  }
}
