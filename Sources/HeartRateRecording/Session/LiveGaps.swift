import GATTHeartRate

/// How many gaps an open session has so far, by the rules of the final pass as far as they look back: in constant memory.
///
/// For a sensor without intervals this is the number that will be stored. Of beats it is provisional as ``LiveBeat`` is.
struct LiveGaps: Sendable {
  private var trace = RateTrace()
  private var hasBeats = false
  /// Those before the last packet with intervals: of rates before the first such packet, of beats from there on.
  private var settled = 0
  /// Those of rates since: if intervals come again, a gap of beats stands for all of them.
  private var sinceBeats = 0

  var count: Int { settled + sinceBeats }

  /// What comes next does not follow what came before.
  mutating func lose(_ reason: GapReason, at instant: Int64) {
    trace.lose(reason, at: instant)
  }

  /// Takes a measurement, and the beats that it brought.
  mutating func take(_ header: HeartRateMeasurement.Header, isOnSkin: Bool, _ beats: [LiveBeat], at instant: Int64) {
    guard isOnSkin else { return trace.leaveSkin(at: instant) }
    let isGap = trace.take(header.beatsPerMinute, at: instant) != nil
    guard header.rrCount > 0 else {
      if isGap { sinceBeats += 1 }
      return
    }
    if hasBeats {
      settled += beats.count(where: \.precededByGap)
    } else {
      // The session's first beat has no gap of its own; that before it is one of rates.
      settled += sinceBeats + (isGap ? 1 : 0) + beats.dropFirst().count(where: \.precededByGap)
    }
    hasBeats = true
    sinceBeats = 0
  }
}
