import HealthModel
import HeartRateRecording
import Sensors

/// What the beats of an open session look like so far. What is stored comes from the final pass, and may differ.
public struct ProvisionalQuality: Hashable, Sendable {
  /// The beats of the session, and how many of them are flagged.
  public var beats: Int
  public var flagged: Int
  /// The same for the last five minutes.
  public var recentBeats: Int
  public var recentFlagged: Int
  /// The root mean square of successive differences of the last five minutes' NN intervals, in milliseconds; nil where
  /// `sensord hrv` would refuse it for this stretch: less than a minute, or too many holes.
  public var rmssdMilliseconds: Double?
  /// When the last of the beats happened, in microseconds since 1970 (UTC).
  public var until: Int64

  public init(
    beats: Int, flagged: Int, recentBeats: Int, recentFlagged: Int, rmssdMilliseconds: Double?, until: Int64
  ) {
    self.beats = beats
    self.flagged = flagged
    self.recentBeats = recentBeats
    self.recentFlagged = recentFlagged
    self.rmssdMilliseconds = rmssdMilliseconds
    self.until = until
  }
}

extension ProvisionalQuality {
  /// What `quality` found when its beats were judged last, with the wall clock's lead over the boot clock in microseconds; nil
  /// without beats.
  init?(_ quality: LiveQuality, wallMinusBoot offset: Int64) {
    guard let first = quality.firstBeat, let last = quality.lastBeat else { return nil }
    let until = last.microseconds &+ offset
    let recent = quality.recentCounts
    self.init(
      beats: quality.beats, flagged: quality.flagged, recentBeats: recent.beats, recentFlagged: recent.flagged,
      rmssdMilliseconds: Self.rmssd(
        try? quality.recent(wallMinusBoot: offset),
        from: max(first.microseconds &+ offset, until &- LiveQuality.windowMicroseconds), to: until),
      until: until)
  }

  private static func rmssd(_ beats: HeartbeatSeries?, from start: Int64, to end: Int64) -> Double? {
    guard let beats,
      let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))
    else { return nil }
    return HeartRateVariabilitySummary(of: beats, in: span).rmssdMilliseconds
  }
}
