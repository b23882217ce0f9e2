/// Beats of one sensor without a hole in their time: each interval starts where the one before it ended.
public struct HeartbeatRun: Hashable, Sendable {
  /// Its place in the session, from 0.
  public var index: Int
  /// Its beats in ``SessionTimeline/beats``; never empty.
  public var beats: Range<Int>
  /// From the sensor's ticks to wall time. Tick 0 is the run's first beat: the interval that ended there began at a
  /// beat that nobody saw, and makes no beat before it.
  public var map: RunMap
  /// The run's first and last beat, in microseconds since 1970 (UTC).
  public var startMicroseconds: Int64
  public var endMicroseconds: Int64

  public init(index: Int, beats: Range<Int>, map: RunMap, startMicroseconds: Int64, endMicroseconds: Int64) {
    self.index = index
    self.beats = beats
    self.map = map
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
  }
}
