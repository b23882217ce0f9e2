public import HealthModel
public import Sensors

/// A session's beats in time, with its gaps and flags: the final pass over its events, and the truth of what is stored.
///
/// A pure function of the events, so that a recording and its replay are equal by construction. Nothing is rounded
/// inside a run, no value is changed, none is dropped.
public struct SessionTimeline: Hashable, Sendable {
  /// The version of the algorithm; stored with each session, raised whenever the same events give another result.
  public static let algorithmVersion: Int64 = 5

  /// The earlier of the first notification and the first beat.
  public let start: Timestamp
  /// The last thing that belongs to the session: where it was ended by somebody or rolled over, that instant; else its
  /// last notification.
  public let end: Timestamp
  /// Nil where the events do not say how it ended.
  public let endReason: SessionEndReason?
  /// In the order of their arrival; a rate of 0 is no heart rate, and not among them.
  public let rates: [HeartRateValue]
  /// The beats, each run on one clock of the sensor.
  public let heartbeats: HeartbeatSeries
  /// In order of time: those of rates before the first beat, one for each beat preceded by a gap, the session's first not
  /// counted, and those of rates after the last beat.
  public let gaps: [RecordingGap]
  /// Nil for a session without beats and rates, or without any length.
  public let coverage: Coverage?
  /// What was found out beside the values.
  public let quality: QualityReport
  /// Device Information, the last value of each field.
  public let information: [DeviceInformationField: String]
  /// The points in time that somebody marked during the session, in order. Kept for whoever shows them, used for nothing here.
  public let markers: [SessionMarker]

  /// Works out the session whose events these are: one sensor, in the order in which they were recorded.
  ///
  /// - Throws: ``HealthModel/SeriesError`` where its beats make no series, which is a defect of this program.
  public init(events: [SensorEvent], parameters: TimelineParameters = .standard) throws(SeriesError) {
    var collector = SessionCollector()
    for event in events { collector.take(event) }
    try self.init(collector, parameters: parameters)
  }

  /// The same for the events of a log.
  public init(log: SensorEventLog, parameters: TimelineParameters = .standard) throws(SeriesError) {
    var collector = SessionCollector()
    collector.take(log)
    try self.init(consume collector, parameters: parameters)
  }

  /// The same for events that were collected one by one, so that nobody has to hold them all.
  public init(
    _ collector: consuming SessionCollector, parameters: TimelineParameters = .standard
  ) throws(SeriesError) {
    var columns = collector.takeColumns()
    columns.finish()
    let invented = InventedIntervals.count(in: columns, parameters)
    let assembly = invented > 0 ? nil : SessionAssembly(columns, parameters)
    let bounds = SessionBounds(columns, assembly)
    let findings = SessionGaps(columns, assembly, bounds)
    start = Timestamp(microseconds: bounds.start)
    end = Timestamp(microseconds: bounds.end)
    endReason = columns.endReason
    rates = columns.rates
    heartbeats = try assembly?.heartbeats() ?? HeartbeatSeries()
    gaps = findings.gaps
    coverage = assembly.map { $0.coverage(in: bounds) } ?? findings.rateCoverage(in: bounds)
    quality = QualityReport(columns, assembly, inventedIntervals: invented)
    information = columns.sensor.information
    markers = columns.sensor.markers
  }
}
