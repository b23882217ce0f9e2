import GATTHeartRate

/// Counts the gaps of an open session in constant memory, by those rules of the final pass that look back only.
///
/// For a sensor without intervals this is the number that will be stored. The count of gaps between beats is provisional,
/// like ``LiveBeat``.
struct LiveGaps: Sendable {
  private var trace = RateTrace()
  private var hasBeats = false
  /// Gaps before the last packet with intervals: gaps of rates before the first such packet, gaps of beats after it.
  private var confirmed = 0
  /// Gaps of rates since that packet. If intervals come again, one gap of beats replaces all of them.
  private var sinceBeats = 0

  var count: Int { confirmed + sinceBeats }

  /// A break: what comes next does not follow what came before.
  mutating func lose(_ reason: GapReason, at instant: Int64) {
    trace.lose(reason, at: instant)
  }

  /// Adds a measurement and the beats that it brought.
  mutating func append(_ header: HeartRateMeasurement.Header, isOnSkin: Bool, _ beats: [LiveBeat], at instant: Int64) {
    guard isOnSkin else { return trace.leaveSkin(at: instant) }
    let isGap = trace.append(header.beatsPerMinute, at: instant) != nil
    guard header.rrCount > 0 else {
      if isGap { sinceBeats += 1 }
      return
    }
    if hasBeats {
      confirmed += beats.count(where: \.precededByGap)
    } else {
      // The session's first beat has no gap of its own; a gap before it is one of rates.
      confirmed += sinceBeats + (isGap ? 1 : 0) + beats.dropFirst().count(where: \.precededByGap)
    }
    hasBeats = true
    sinceBeats = 0
  }
}
