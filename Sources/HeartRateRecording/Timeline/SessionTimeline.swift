public import HealthModel
public import Sensors

/// A session's beats in time, with gaps and flags: the final pass over its events. The store has these values.
///
/// The timeline is a pure function of the events, so a recording and its replay are equal by construction. Within a run
/// nothing is rounded; no value is changed or dropped.
public struct SessionTimeline: Hashable, Sendable {
  /// The version of the algorithm. It is stored with each session and raised whenever the same events give another result.
  public static let algorithmVersion: Int64 = 7

  /// The earlier of the first notification and the first beat.
  public let start: Timestamp
  /// The end of the session: the instant at which somebody ended it or it was rolled over, else its last notification.
  public let end: Timestamp
  /// The reason for the end; nil where no event gives one.
  public let endReason: SessionEndReason?
  /// In order of arrival. A rate of 0 is no heart rate and is left out.
  public let rates: [HeartRateValue]
  /// The beats; within a run their times come from the sensor's clock.
  public let heartbeats: HeartbeatSeries
  /// In order of time: gaps of rates before the first beat, one gap for each beat preceded by a gap (except the session's
  /// first), and gaps of rates after the last beat.
  public let gaps: [RecordingGap]
  /// Nil for a session without beats and rates, or without any length.
  public let coverage: Coverage?
  /// The session's quality: everything known about it beside its values.
  public let quality: QualityReport
  /// Device Information, the last value of each field.
  public let information: [DeviceInformationField: String]
  /// The points in time that somebody marked during the session, in order.
  public let markers: [SessionMarker]

  /// Computes the session from its events: of one sensor, in the order of recording.
  ///
  /// - Throws: ``HealthModel/SeriesError`` if the beats do not form a series, which is a defect of this program.
  public init(events: [SensorEvent], parameters: TimelineParameters = .standard) throws(SeriesError) {
    var collector = SessionCollector()
    for event in events { collector.append(event) }
    try self.init(collector, parameters: parameters)
  }

  /// Computes the session from the events of a log.
  public init(log: SensorEventLog, parameters: TimelineParameters = .standard) throws(SeriesError) {
    var collector = SessionCollector()
    collector.append(log)
    try self.init(consume collector, parameters: parameters)
  }

  /// Computes the session from events that were collected one by one, so that they need not be in memory together.
  public init(
    _ collector: consuming SessionCollector, parameters: TimelineParameters = .standard
  ) throws(SeriesError) {
    var columns = collector.removeColumns()
    columns.finish()
    let judgement = IntervalJudgement(columns, parameters)
    columns.leaveOut(judgement.leftOut)
    let assembly = SessionAssembly(columns, judgement.clock, parameters)
    let pauses = SessionPauses(columns)
    let bounds = SessionBounds(columns, assembly, pauses)
    let findings = SessionGaps(columns, assembly, bounds)
    start = Timestamp(microseconds: bounds.start)
    end = Timestamp(microseconds: bounds.end)
    endReason = columns.endReason
    rates = columns.rates
    heartbeats = try assembly?.heartbeats() ?? HeartbeatSeries()
    gaps = pauses.leavingOut(columns.markingUnmeasured(findings.gaps))
    coverage = assembly.map { $0.coverage(in: bounds) } ?? findings.rateCoverage(in: bounds)
    quality = QualityReport(columns, assembly, judgement)
    information = columns.sensor.information
    markers = columns.sensor.markers.sorted { $0.time < $1.time }
  }
}

/// The beginning and the end of a session, in microseconds since 1970 (UTC).
struct SessionBounds {
  /// The earlier of the first notification and the first beat; the first event where there is neither.
  let start: Int64
  let end: Int64
  /// The length of the session's own time, without pauses, in microseconds.
  let length: Double

  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ pauses: SessionPauses) {
    let firstEvent = columns.firstEvent.map(columns.wall) ?? 0
    let first = columns.firstNotification.map(columns.wall) ?? firstEvent
    let last = columns.lastNotification.map(columns.wall) ?? first
    start = min(first, assembly?.placement.wall.first ?? first)
    switch columns.endReason {
    // Here somebody decided when the session ends; otherwise it ended when the sensor fell silent.
    case .request, .clientGone, .shutdown, .rolled: end = max(last, columns.end.map(columns.wall) ?? last)
    case .away, .offSkin, .captureEnd, .recovered, nil: end = last
    }
    length = Double(end - start) - pauses.microseconds(from: start, to: end)
  }
}

/// The times of a session whose values the sessions of programs have.
struct SessionPauses {
  /// In order, in microseconds since 1970 (UTC).
  private let times: [Range<Int64>]

  init(_ columns: TimelineCollector) {
    times = columns.pausedTimes
  }

  /// The length of the pauses between `start` and `end`, in microseconds.
  func microseconds(from start: Int64, to end: Int64) -> Double {
    times.reduce(0) { sum, time in
      let (first, last) = (max(start, time.lowerBound), min(end, time.upperBound))
      return first < last ? sum + Double(last - first) : sum
    }
  }

  /// The gaps of the session, without the lost beats that were estimated for these times: another session has these
  /// beats.
  func leavingOut(_ gaps: [RecordingGap]) -> [RecordingGap] {
    guard !times.isEmpty else { return gaps }
    return gaps.map { gap in
      let (start, end) = (gap.start.microseconds, gap.end.microseconds)
      var gap = gap
      if gap.reason == GapReason.clientSession.token {
        gap.estimatedLostBeats = nil
      } else if case let paused = microseconds(from: start, to: end), paused > 0, let lost = gap.estimatedLostBeats {
        gap.estimatedLostBeats = (lost * max(0, 1 - paused / Double(end - start))).rounded()
      }
      return gap
    }
  }
}
