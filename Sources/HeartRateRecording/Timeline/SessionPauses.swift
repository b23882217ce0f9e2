import HealthModel

/// The times of a session whose values the sessions of programs have.
struct SessionPauses {
  /// In order, in microseconds since 1970 (UTC).
  private let times: [Range<Int64>]

  init(_ columns: TimelineCollector) {
    times = columns.pausedTimes
  }

  /// How much of the time from `start` to `end` they take, in microseconds.
  func microseconds(from start: Int64, to end: Int64) -> Double {
    times.reduce(0) { sum, time in
      let (first, last) = (max(start, time.lowerBound), min(end, time.upperBound))
      return first < last ? sum + Double(last - first) : sum
    }
  }

  /// The gaps of the session, without the lost beats that were estimated for these times: the beats are elsewhere.
  func leavingOut(_ gaps: [RecordingGap]) -> [RecordingGap] {
    guard !times.isEmpty else { return gaps }
    return gaps.map { gap in
      let (start, end) = (gap.start.microseconds, gap.end.microseconds)
      var gap = gap
      if gap.reason == GapReason.clientSession.token {
        gap.estimatedLostBeats = nil
      } else if case let paused = microseconds(from: start, to: end), paused > 0, let lost = gap.estimatedLostBeats {
        gap.estimatedLostBeats = (lost * max(0, 1 - paused / Double(end - start))).rounded()
      }
      return gap
    }
  }
}
