public import Sensors

/// A session's beats in time, with its gaps and flags: the final pass over its events, and the truth of what is stored.
///
/// A pure function of the events, so that a recording and its replay are equal by construction. Nothing is rounded
/// inside a run, no value is changed, none is dropped.
public struct SessionTimeline: Hashable, Sendable {
  /// The version of the algorithm; stored with each session, raised whenever the same events give another result.
  public static let algorithmVersion = 5

  /// The earlier of the first notification and the first beat, in microseconds since 1970 (UTC).
  public internal(set) var startMicroseconds: Int64 = 0
  /// The last thing that belongs to the session: where it was ended by somebody or rolled over, that instant; else its
  /// last notification. Microseconds since 1970 (UTC).
  public internal(set) var endMicroseconds: Int64 = 0
  /// Nil where the events do not say how it ended.
  public internal(set) var endReason: SessionEndReason?
  /// All measurements, whatever was in them.
  public internal(set) var notifications = 0
  /// Measurements with a rate of 0, which is no heart rate.
  public internal(set) var zeroRates = 0
  public internal(set) var rates = HeartRateTable()
  public internal(set) var beats = HeartbeatTable()
  public internal(set) var runs: [HeartbeatRun] = []
  /// In order of time: those of rates before the first beat, one for each beat preceded by a gap, the session's first not
  /// counted, and those of rates after the last beat.
  public internal(set) var gaps: [SessionGap] = []
  /// Nil for a session without beats and rates, or without any length.
  public internal(set) var coverage: Coverage?
  public internal(set) var defects = PayloadDefectCounts()
  /// Values that the recorder had received and lost.
  public internal(set) var lostValues = 0
  public internal(set) var sensor = SensorFacts()
  public internal(set) var clockSteps: [ClockStep] = []
  public internal(set) var quality = TimelineQuality()

  /// Works out the session whose events these are: one sensor, in the order in which they were recorded.
  public init(events: [SensorEvent], parameters: TimelineParameters = .standard) {
    var collector = SessionCollector()
    for event in events { collector.take(event) }
    self.init(collector, parameters: parameters)
  }

  /// The same for the events of a log.
  public init(log: SensorEventLog, parameters: TimelineParameters = .standard) {
    var collector = SessionCollector()
    collector.take(log)
    self.init(consume collector, parameters: parameters)
  }

  /// The same for events that were collected one by one, so that nobody has to hold them all.
  public init(_ collector: consuming SessionCollector, parameters: TimelineParameters = .standard) {
    var columns = collector.takeColumns()
    columns.finish()
    let invented = InventedIntervals.count(in: columns, parameters)
    assemble(columns, invented > 0 ? nil : SessionAssembly(columns, parameters))
    quality.inventedIntervals = invented
  }
}
