/// The beats of a session as parallel arrays: a day of them takes about two megabytes.
public struct HeartbeatTable: Hashable, Sendable {
  /// The interval that ended at each beat, in 1/1024 s, as received.
  public internal(set) var rrTicks: [UInt16]
  public internal(set) var flags: [BeatFlags]
  /// Whether beats may have happened since the one before it. True also for the first beat of the session.
  public internal(set) var precededByGap: [Bool]
  /// When each happened, in microseconds since 1970 (UTC), strictly increasing. See ``Heartbeat/wallMicroseconds``.
  public internal(set) var wallMicroseconds: [Int64]

  init(
    rrTicks: [UInt16] = [], flags: [BeatFlags] = [], precededByGap: [Bool] = [], wallMicroseconds: [Int64] = []
  ) {
    self.rrTicks = rrTicks
    self.flags = flags
    self.precededByGap = precededByGap
    self.wallMicroseconds = wallMicroseconds
  }

  public var count: Int { rrTicks.count }
  public var isEmpty: Bool { rrTicks.isEmpty }
}
