/// A stretch in which beats may have happened that were not recorded.
///
/// Each belongs to one beat with ``Heartbeat/precededByGap``, the session's first excepted, which has none.
public struct HeartbeatGap: Hashable, Sendable {
  public var reason: GapReason
  /// The beat after the gap, in ``SessionTimeline/beats``.
  public var beat: Int
  /// The last beat before it and the first beat after it, in microseconds since 1970 (UTC).
  public var startMicroseconds: Int64
  public var endMicroseconds: Int64
  /// How many beats are missing, estimated from the gap's length and the intervals around it; 0 where none need be.
  public var estimatedLostBeats: Int

  public init(
    reason: GapReason, beat: Int, startMicroseconds: Int64, endMicroseconds: Int64, estimatedLostBeats: Int
  ) {
    self.reason = reason
    self.beat = beat
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.estimatedLostBeats = estimatedLostBeats
  }
}

/// Why beats are missing.
public enum GapReason: Hashable, Sendable {
  /// The link was lost, with the reason that BlueZ gave, if any.
  case link(String?)
  /// The sensor was off the skin and sent no intervals meanwhile.
  case contact
  /// The sensor's own time fell behind the host's for good: it lost intervals without saying so.
  case step
  /// Before or after invented intervals.
  case filler
  /// Before or after intervals that were more than there was time for.
  case surplus
  /// One interval far longer than its neighbours: the sensor missed beats, or the heart paused.
  case missedOrPause
  /// The recorder did not run, or lost what it had received; with its own words where it has any.
  case recorder(String?)
  /// The machine was started anew.
  case boot

  /// One word for storage and JSON: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`.
  public var token: String {
    switch self {
    case .link: "link"
    case .contact: "contact"
    case .step: "step"
    case .filler: "filler"
    case .surplus: "surplus"
    case .missedOrPause: "missedOrPause"
    case .recorder: "recorder"
    case .boot: "boot"
    }
  }

  /// The words that came with it, from BlueZ or the recorder.
  public var detail: String? {
    switch self {
    case .link(let text), .recorder(let text): text
    default: nil
    }
  }
}
