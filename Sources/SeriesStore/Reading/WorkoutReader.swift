import FoundationEssentials
import HealthModel

/// Answers about workouts: their activities, events and figures.
struct WorkoutReader {
  let connection: Connection
  /// What the reader may see; nil for all of it.
  var scope: ReadScope?

  func workouts(_ query: WorkoutQuery) throws(StoreError) -> [Workout] {
    let samples = SampleReader(connection: connection, scope: scope)
    var workouts: [Workout] = []
    for number in try samples.numbers(query.samples) {
      try connection.checkCancellation()
      workouts.append(try workout(number))
    }
    return workouts
  }

  /// The workout with that identifier; ``StoreError/Code/notFound`` if there is none that the reader may see.
  func workout(_ id: UUID) throws(StoreError) -> Workout {
    let query = SampleQuery(.and([.type(.workout), .identifier([id])]), order: [])
    guard let number = try SampleReader(connection: connection, scope: scope).numbers(query).first else {
      throw StoreError(.notFound, "there is no workout \(id.uuidString.lowercased())")
    }
    return try workout(number)
  }

  private func workout(_ number: Int64) throws(StoreError) -> Workout {
    guard let id = try connection.samples.uuid(of: number),
      let found = try connection.workouts.workout(number, id: id, in: scope), found.isWhole
    else { throw connection.samples.corrupt(number) }
    let workout = found.workout
    return Workout(
      id: id, workout.configuration, over: workout.span, events: workout.events, activities: workout.activities,
      metadata: try connection.metadata.values(of: number), allStatistics: workout.allStatistics)
  }
}
