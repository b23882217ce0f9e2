/// A stretch of a session of which nothing is known: between two beats, or between two rates where there are no beats.
///
/// A gap of beats belongs to one beat with ``Heartbeat/precededByGap``; the session's first has none. A gap of rates lies
/// before the first beat, after the last, or in a session without any.
public struct SessionGap: Hashable, Sendable {
  public var reason: GapReason
  /// The beat after the gap, in ``SessionTimeline/beats``; nil for a gap of rates.
  public var beat: Int?
  /// The last beat before it and the first beat after it, or the rates, in microseconds since 1970 (UTC).
  public var startMicroseconds: Int64
  public var endMicroseconds: Int64
  /// How many beats are missing, estimated from the gap's length and the intervals, or rates, around it; 0 where none
  /// need be.
  public var estimatedLostBeats: Int

  public init(
    reason: GapReason, beat: Int?, startMicroseconds: Int64, endMicroseconds: Int64, estimatedLostBeats: Int
  ) {
    self.reason = reason
    self.beat = beat
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.estimatedLostBeats = estimatedLostBeats
  }
}
