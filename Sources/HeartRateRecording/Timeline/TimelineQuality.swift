/// What the final pass found out about the sensor's timing.
public struct TimelineQuality: Hashable, Sendable {
  /// How many beats later the sensor hands a beat on (heart-rate sensors of one maker: about two).
  public var releaseDepth: Double = 0
  /// Its standard error in beats; nil where the depth was not estimated but assumed.
  public var releaseDepthError: Double?
  /// How much the sensor's clock differs from the host's, in parts per million; 0 where it could not be resolved.
  public var driftPartsPerMillion: Double = 0
  /// Its standard error; nil where it was not resolved.
  public var driftError: Double?
  /// Arrival of a notification minus the time of its last beat, in microseconds: median, 95th percentile, largest.
  /// Up to the one constant that nothing can tell. Nil without beats.
  public var medianLatencyMicroseconds: Int64?
  public var latency95Microseconds: Int64?
  public var greatestLatencyMicroseconds: Int64?
  /// Packets that arrived before their beats were due: a spurious detection released them.
  public var earlyPackets = 0
  /// Intervals that the sensor computed from its rate: no beats are made of them.
  public var inventedIntervals = 0
  /// Times that the sensor's time ran ahead of the host's for good: it sent surplus intervals.
  public var surplusSteps = 0
  /// For how long the recorder did not run, in microseconds.
  public var stalledMicroseconds: Int64 = 0

  public init() {}
}
