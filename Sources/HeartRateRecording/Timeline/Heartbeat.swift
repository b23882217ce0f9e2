/// One beat of a session: each interval received is stored as the beat that ended it.
public struct Heartbeat: Hashable, Sendable {
  /// The run that it belongs to, from 0, and its place in that run, from 0. The two are its key in the session.
  public var run: Int
  public var indexInRun: Int
  /// The interval that ended at this beat, in 1/1024 s, as received.
  public var rrTicks: UInt16
  /// Ticks from the run's first beat to this one: the sum of the intervals after the first.
  public var ticks: Int64
  /// When it happened, in microseconds since 1970 (UTC): derived from ``ticks`` and the run's map. Later than the beat
  /// before it, and never later than the arrival of the notification that brought it.
  public var wallMicroseconds: Int64
  /// Whether beats may have happened since the one before it, so that no interval may be formed across.
  public var precededByGap: Bool
  public var flags: BeatFlags

  public init(
    run: Int, indexInRun: Int, rrTicks: UInt16, ticks: Int64, wallMicroseconds: Int64, precededByGap: Bool,
    flags: BeatFlags
  ) {
    self.run = run
    self.indexInRun = indexInRun
    self.rrTicks = rrTicks
    self.ticks = ticks
    self.wallMicroseconds = wallMicroseconds
    self.precededByGap = precededByGap
    self.flags = flags
  }
}
