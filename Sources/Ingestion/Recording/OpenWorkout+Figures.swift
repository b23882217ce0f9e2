import Captures
import FoundationEssentials
package import HealthModel
import Sensors

/// The figures of one type in a live workout, so far. Provisional, as all live values are.
package struct LiveWorkoutFigures: Hashable, Sendable {
  /// Since the workout began; nil where nothing of the type was collected.
  package var workout: WorkoutStatistics?
  /// Since the activity under way began; nil also where there is none.
  package var activity: WorkoutStatistics?
}

extension OpenWorkout {
  /// The figures of a type up to now, pauses left out.
  ///
  /// - Parameters:
  ///   - type: A quantity type.
  ///   - samples: What its program has collected of that type, with values.
  ///   - now: The time.
  /// - Returns: Those of the workout and of the activity under way.
  func figures(of type: QuantityType, with samples: [WorkoutSample], at now: BootInstant) -> LiveWorkoutFigures {
    var samples = samples
    if type == .heartRate, let sensor = contents.workout.sensor {
      samples.insert(
        WorkoutSample(
          .quantity(.heartRate), from: DataSource(source: WorkoutSessions.source, device: "\(sensor)"),
          quantities: rates.track(wallMinusBoot: wallMinusBoot)), at: 0)
    }
    // A value of this moment counts.
    let end = session.end ?? max(time(of: now), replay.latest ?? time(of: now)).advanced(byMicroseconds: 1)
    guard let start = session.start, let span = TimeSpan(start: start, end: end) else { return LiveWorkoutFigures() }
    let current = session.currentActivity
    let workout = Workout(
      session.configuration, over: span, events: session.events,
      activities: session.activities + (current.map { [$0] } ?? []))
    let quantities = CollectedQuantities(samples)
    let pauses = workout.pauses
    func figures(over span: TimeSpan?) -> WorkoutStatistics? {
      guard let span else { return nil }
      return quantities.statistics(over: span, without: pauses).first { $0.type == type }
    }
    return LiveWorkoutFigures(
      workout: figures(over: span),
      activity: figures(over: current.flatMap { TimeSpan(start: $0.start, end: end) }))
  }
}
