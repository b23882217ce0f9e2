public import HealthModel
public import Sensors

/// A beat of an open session: provisional. The stored beats come from ``SessionTimeline``.
public struct LiveBeat: Hashable, Sendable {
  /// The run of the beat, from 0, and its place in the run, from 0, as far as is known yet.
  public var run: Int
  public var indexInRun: Int
  /// The interval that ended at this beat, in 1/1024 s, as received.
  public var rrTicks: UInt16
  /// Estimated time of the beat: never later than the arrival of its notification, and later than the beat before it.
  public var instant: BootInstant
  /// Whether beats may have happened since the one before it.
  public var precededByGap: Bool
  public var flags: Heartbeat.Flags

  public init(
    run: Int, indexInRun: Int, rrTicks: UInt16, instant: BootInstant, precededByGap: Bool, flags: Heartbeat.Flags
  ) {
    self.run = run
    self.indexInRun = indexInRun
    self.rrTicks = rrTicks
    self.instant = instant
    self.precededByGap = precededByGap
    self.flags = flags
  }
}
