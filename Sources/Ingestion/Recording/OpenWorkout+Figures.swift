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
  /// How long the two have gone on without pauses; nil where there are no figures.
  package var workoutDuration: Duration?
  package var activityDuration: Duration?
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
    let last = session.end ?? max(time(of: now), replay.latest ?? time(of: now))
    let end = session.end ?? last.advanced(byMicroseconds: 1)
    guard let start = session.start, let span = TimeSpan(start: start, end: end) else { return LiveWorkoutFigures() }
    let current = session.currentActivity
    let workout = Workout(
      session.configuration, over: span, events: session.events,
      activities: session.activities + (current.map { [$0] } ?? []))
    let quantities = CollectedQuantities(samples)
    let pauses = workout.pauses
    func figures(since start: Timestamp?) -> (WorkoutStatistics, Duration)? {
      guard let start, let span = TimeSpan(start: start, end: end), let passed = TimeSpan(start: start, end: last),
        let figures = quantities.statistics(over: span, without: pauses).first(where: { $0.type == type })
      else { return nil }
      return (figures, .microseconds(pauses.microsecondsLeft(of: passed)))
    }
    let whole = figures(since: start)
    let part = figures(since: current?.start)
    return LiveWorkoutFigures(
      workout: whole?.0, activity: part?.0, workoutDuration: whole?.1, activityDuration: part?.1)
  }
}
