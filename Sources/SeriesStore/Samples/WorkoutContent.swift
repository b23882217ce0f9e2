public import FoundationEssentials
public import HealthModel

/// A workout: its activities and events, and which samples were collected with it. The figures of those are computed when they are
/// associated.
struct WorkoutContent: SampleContent {
  static let kind = SampleKind.workout
  static let tables = WorkoutTable.contents

  let workout: Workout
  let collected: [UUID]

  func figures() -> SampleFigures {
    SampleFigures(
      value: workout.configuration.activityType.rawValue, count: workout.activities.count,
      duration: workout.duration.wholeMicroseconds)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    try connection.workouts.insert(workout, of: sample)
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    guard let found = try connection.workouts.workout(sample.id, id: UUID()) else { return "its parts are missing" }
    let workout = found.workout
    guard found.isWhole, workout.activities.count == sample.figures.count else {
      return "its activities or events are not those that were saved"
    }
    guard workout.configuration.activityType.rawValue == sample.figures.value,
      workout.start.microseconds == sample.start, workout.end.microseconds == sample.end,
      workout.durations == found.durations, found.durations.first == sample.figures.duration
    else { return "its row is not that of its parts" }
    do throws(WorkoutError) {
      try workout.validate()
    } catch {
      // A newer program may know the event.
      if case .unknownEvent = error { return nil }
      return "it breaks a rule: \(error)"
    }
    guard let collected = try connection.workouts.collectedQuantities(by: sample.id, over: workout.span) else {
      // What is wrong with one of them is said there.
      return nil
    }
    return workout.with(collected).hasFigures(of: workout) ? nil : "its figures are not those of what was collected"
  }
}

extension NewSample {
  /// A workout, with the samples that were collected with it: those that are in the store, or are saved before it by the same
  /// call of ``HealthStore/save(_:as:)-(NewSample,_)``.
  ///
  /// The store computes the figures of the workout and of its activities from them, whatever figures the workout has, and again
  /// when one of them is deleted or replaced. A sample may be collected with several workouts; it stays when they are deleted.
  ///
  /// - Throws: ``HealthModel/WorkoutError`` where ``HealthModel/Workout/validate()`` does.
  public init(
    _ workout: Workout, collected samples: [UUID] = [], device: Device? = nil, sync: SyncIdentity? = nil
  ) throws(WorkoutError) {
    try workout.validate()
    self.init(
      WorkoutContent(workout: workout, collected: samples), of: .workout, over: workout.span, id: workout.id,
      device: device, metadata: workout.metadata, sync: sync)
  }
}

extension Workout {
  /// Whether another has the same figures, up to the last digits.
  fileprivate func hasFigures(of other: Workout) -> Bool {
    let pairs =
      [(allStatistics, other.allStatistics)]
      + zip(activities, other.activities).map { ($0.allStatistics, $1.allStatistics) }
    return pairs.allSatisfy { one, two in
      one.count == two.count && zip(one, two).allSatisfy { $0.isClose(to: $1) }
    }
  }
}

extension WorkoutStatistics {
  fileprivate func isClose(to other: WorkoutStatistics) -> Bool {
    guard type.identifier == other.type.identifier, count == other.count, mostRecentSpan == other.mostRecentSpan else {
      return false
    }
    return [
      (sum, other.sum), (average, other.average), (minimum, other.minimum), (maximum, other.maximum),
      (mostRecent, other.mostRecent),
    ].allSatisfy { one, two in
      guard let one, let two else { return one == two }
      return abs(one - two) <= 1e-9 * max(abs(one), abs(two))
    }
  }
}
