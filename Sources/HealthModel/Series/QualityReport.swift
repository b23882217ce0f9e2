/// What a recorder found out about a session beside its values: what was lost, the sensor's timing, battery, signal.
///
/// Every figure is nil where it is not known, and where the recorder leaves out what did not happen. Counts are 0 or more.
public struct QualityReport: Hashable, Sendable {
  /// The version of the algorithm that made beats, gaps and flags of what was received: 1 or more.
  public var algorithmVersion: Int64?
  /// Notifications received, whatever was in them.
  public var notifications: Int64?
  /// How often the link was lost.
  public var linkLosses: Int64?
  /// Values that the recorder had received and lost.
  public var lostValues: Int64?
  /// Notifications with a rate of 0, which is no heart rate.
  public var zeroRates: Int64?
  /// How often the sensor's time ran ahead of the host's for good: it had sent more intervals than there was time for.
  public var surplusSteps: Int64?
  /// How many beats later the sensor hands a beat on: 0, or about 2 for sensors that look ahead.
  public var releaseDepthBeats: Double?
  /// The standard error of ``releaseDepthBeats``; nil where the depth was assumed.
  public var releaseDepthErrorBeats: Double?
  /// How much longer the sensor's second is than the host's, in parts per million; 0 where it could not be resolved.
  public var driftPartsPerMillion: Double?
  /// The standard error of ``driftPartsPerMillion``; nil where it was not resolved.
  public var driftErrorPartsPerMillion: Double?
  /// The median of what packets arrived later than their last beat, in microseconds, up to one constant that nothing can tell.
  public var latencyMedianMicroseconds: Int64?
  /// The 95th percentile of the same.
  public var latency95Microseconds: Int64?
  /// The greatest of the same.
  public var latencyGreatestMicroseconds: Int64?
  /// Packets that arrived before their beats were due.
  public var earlyPackets: Int64?
  /// Rates for which the sensor said that it was off the skin; nil where it tells no contact.
  public var offSkinRates: Int64?
  /// The first battery level of the session, in percent: 0 to 100.
  public var batteryStartPercent: Int64?
  /// The last battery level of the session, in percent: 0 to 100.
  public var batteryEndPercent: Int64?
  /// Where the sensor is worn: a code of Body Sensor Location (2A38), as received.
  public var bodySensorLocation: Int64?
  /// The weakest signal, in dBm: −127 to 20.
  public var signalWeakestDBm: Int64?
  /// The strongest signal, in dBm: −127 to 20.
  public var signalStrongestDBm: Int64?
  /// The energy that was expended within the session, the sensor's resets included, in kilojoules.
  public var energyKilojoules: Int64?
  /// For how long the recorder did not run while the session went on, in microseconds.
  public var stalledMicroseconds: Int64?
  /// RR intervals that the sensor computed from its rate instead of measuring them. Such a session has rates and no beats.
  public var inventedIntervals: Int64?
  /// When the sensor's battery was first told to be low.
  public var batteryLow: Timestamp?
  /// How many notifications had each defect; none of those that did not occur.
  public var payloadDefects: [PayloadDefect: Int64] = [:]
  /// The losses of the link in order: at most 100, since a link can flap all day.
  public var disconnects: [Disconnect] = []
  /// The changes of the host's clock in order: at most 100.
  public var clockSteps: [ClockStep] = []
  /// What another program wrote under keys that are none of those above; see ``init(_:)``.
  public var others: Metadata = [:]

  /// A report that says nothing.
  public init() {}

  /// A loss of the link.
  public struct Disconnect: Hashable, Sendable {
    /// When the link was lost.
    public var time: Timestamp
    /// The system's reason, where it gives one.
    public var reason: String?

    /// Takes both parts as they are.
    public init(time: Timestamp, reason: String? = nil) {
      self.time = time
      self.reason = reason
    }
  }

  /// A change of the wall clock. The times of beats do not follow it.
  public struct ClockStep: Hashable, Sendable {
    /// When, by the clock as it was at the session's end.
    public var time: Timestamp
    /// By how much the clock moved, in microseconds; positive is forward. Nil where the report does not say.
    public var microseconds: Int64?

    /// Takes both parts as they are.
    public init(time: Timestamp, microseconds: Int64?) {
      self.time = time
      self.microseconds = microseconds
    }
  }
}
