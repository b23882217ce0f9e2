import HealthModel
import Sensors

/// Which recorded values belong to a workout. Pure.
///
/// A workout may outlast a session: after 24 hours, when the strap was away for long, when the recorder was restarted. So it is the
/// sensor and the time that decide, not one session: what the recorder stored of that sensor and touches the workout's time.
enum WorkoutSessions {
  /// The source of what the recorder itself stores.
  static let source = "sensord"

  /// The samples of the sensor's sessions: rates, and beats. Figures over a whole session are not among them.
  static func samples(of sensor: SensorAddress, over span: TimeSpan) -> SampleQuery {
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    return SampleQuery(
      .and([predicate(of: sensor, from: span.start, to: span.end), .or(types.map { .type($0) })]))
  }

  /// What the recorder stored of a sensor in a time that may be open.
  static func predicate(of sensor: SensorAddress, from start: Timestamp, to end: Timestamp?) -> SamplePredicate {
    .and([.source(source), .device("\(sensor)"), .time(from: start, to: end)])
  }
}
