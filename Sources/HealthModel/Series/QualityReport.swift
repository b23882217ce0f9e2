/// A recorder's findings about a session beside its values: losses, the sensor's timing, battery, signal.
///
/// A figure is nil if it is unknown; a count of problems is nil without a problem. Counts are 0 or more.
public struct QualityReport: Hashable, Sendable {
  /// The version of the algorithm that computed beats, gaps and flags: 1 or more.
  public var algorithmVersion: Int64?
  /// Notifications received, whatever they contained.
  public var notifications: Int64?
  /// The number of losses of the link.
  public var linkLosses: Int64?
  /// Values that were received and then lost by the recorder.
  public var lostValues: Int64?
  /// Notifications with a rate of 0, which is no heart rate.
  public var zeroRates: Int64?
  /// The number of times that the sensor's time ran permanently ahead of the host's: the sensor had sent more intervals than
  /// there was time for.
  public var surplusSteps: Int64?
  /// The number of later beats that the sensor detects before it sends a beat: 0, or about 2 for sensors with look-ahead.
  public var releaseDepthBeats: Double?
  /// The standard error of ``releaseDepthBeats``; nil where the depth was assumed.
  public var releaseDepthErrorBeats: Double?
  /// The excess of the sensor's second over the host's, in parts per million; 0 where it could not be resolved.
  public var driftPartsPerMillion: Double?
  /// The standard error of ``driftPartsPerMillion``; nil where it was not resolved.
  public var driftErrorPartsPerMillion: Double?
  /// The median latency from a packet's last beat to its arrival, in microseconds, up to an unknowable constant.
  public var latencyMedianMicroseconds: Int64?
  /// The 95th percentile of that latency.
  public var latency95Microseconds: Int64?
  /// The greatest latency.
  public var latencyGreatestMicroseconds: Int64?
  /// Packets that were sent before their beats were due.
  public var earlyPackets: Int64?
  /// Rates reported as off the skin; nil if the sensor does not report contact.
  public var offSkinRates: Int64?
  /// The first battery level of the session, in percent: 0 to 100.
  public var batteryStartPercent: Int64?
  /// The last battery level of the session, in percent: 0 to 100.
  public var batteryEndPercent: Int64?
  /// The place of the sensor on the body: a code of Body Sensor Location (2A38), as received.
  public var bodySensorLocation: Int64?
  /// The weakest signal, in dBm: −127 to 20.
  public var signalWeakestDBm: Int64?
  /// The strongest signal, in dBm: −127 to 20.
  public var signalStrongestDBm: Int64?
  /// The energy expended within the session, across resets by the sensor, in kilojoules.
  public var energyKilojoules: Int64?
  /// The time within the session in which the recorder did not run, in microseconds.
  public var stalledMicroseconds: Int64?
  /// RR intervals that were received and are no beats of the series, because of ``intervalHabit``.
  public var leftOutIntervals: Int64?
  /// The time at which the sensor's battery was first reported low.
  public var batteryLow: Timestamp?
  /// A habit of the sensor by which its RR intervals are not those of one heart, beat by beat.
  public var intervalHabit: IntervalHabit?
  /// The sum of the RR intervals, as a multiple of the time that passed, where there is such a habit; nil where too little time
  /// shows it.
  public var intervalSumRatio: Double?
  /// The number of notifications with each defect that occurred.
  public var payloadDefects: [PayloadDefect: Int64] = [:]
  /// The losses of the link in order: at most 100, since a link can flap all day.
  public var disconnects: [Disconnect] = []
  /// The changes of the host's clock in order: at most 100.
  public var clockSteps: [ClockStep] = []
  /// Values under other keys, from another program or version; see ``init(_:)``.
  public var others: Metadata = [:]

  /// An empty report.
  public init() {}

  /// A loss of the link.
  public struct Disconnect: Hashable, Sendable {
    /// The time of the loss.
    public var time: Timestamp
    /// The system's reason, if it gave one.
    public var reason: String?

    /// A loss with the given parts.
    public init(time: Timestamp, reason: String? = nil) {
      self.time = time
      self.reason = reason
    }
  }

  /// A change of the wall clock. The times of beats do not follow such changes.
  public struct ClockStep: Hashable, Sendable {
    /// The time of the change, by the clock as it was set at the session's end.
    public var time: Timestamp
    /// The change in microseconds; positive is forward. Nil if unknown.
    public var microseconds: Int64?

    /// A change with the given parts.
    public init(time: Timestamp, microseconds: Int64?) {
      self.time = time
      self.microseconds = microseconds
    }
  }
}

/// A defect in a measurement's bytes. Defects are counted and reported; they never end a session.
public enum PayloadDefect: String, Hashable, Sendable, CaseIterable {
  /// No byte at all. Nothing of the value is used.
  case empty
  /// The rate is cut off. Nothing of the value is used.
  case truncatedRate
  /// The energy is cut off. Nothing of the value is used.
  case truncatedEnergy
  /// Reserved flag bits are set. The fields that are known are used.
  case reservedFlags
  /// Bytes are left over behind the last field. The fields are used.
  case trailingBytes
}

/// A habit of a sensor by which its RR intervals are not those of one heart, beat by beat, in units of 1/1024 s (rule 12 of
/// Documentation/timeline.md).
public enum IntervalHabit: String, Hashable, Sendable, CaseIterable {
  /// Intervals computed from the sensor's rate instead of measured.
  case invented
  /// Intervals that add up to more or less than the time that passed.
  case unfit
  /// Intervals that add up to twice the time that passed: two hearts in one stream.
  case twoHearts
  /// Only the newest interval of each packet, so that others are missing in between.
  case newestOnly
  /// Intervals in milliseconds. The series has this timescale, and nothing is converted.
  case milliseconds
  /// The last interval sent again where there was no beat, or before the new ones of each packet.
  case repeated
  /// Each packet sent twice.
  case doubled

  /// Whether beats can be made of the intervals that are left: if not, the session has rates only.
  public var leavesBeats: Bool {
    switch self {
    case .milliseconds, .repeated, .doubled: true
    case .invented, .unfit, .twoHearts, .newestOnly: false
    }
  }
}

extension IntervalHabit {
  /// One clause for a person.
  public var words: String {
    switch self {
    case .invented: "the sensor invents its RR intervals from its rate"
    case .unfit: "the RR intervals do not add up to the time that passed"
    case .twoHearts: "the RR intervals add up to twice the time that passed, as those of two hearts do"
    case .newestOnly: "the sensor sends only one RR interval in each value, and beats between them are missing"
    case .milliseconds: "the RR intervals are in milliseconds instead of 1/1024 s"
    case .repeated: "the sensor sends its last RR interval again"
    case .doubled: "each value came twice"
    }
  }
}
