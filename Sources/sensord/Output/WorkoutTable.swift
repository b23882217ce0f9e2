internal import Documents
internal import HealthModel

/// The rows of `sensord workouts`.
enum WorkoutTable {
  static func text(_ entries: [WorkoutEntry], columns: Int) -> String {
    var table = TextTable([
      .init("Workout"), .init("Start"), .init("Length", .right), .init("Type", shrinks: true),
      .init("Activities", .right), .init("Avg", .right), .init("Max", .right), .init("Recovery", .right),
    ])
    for entry in entries {
      let workout = entry.workout
      let rates = workout.statistics(for: .heartRate)
      table.add([
        entry.shortName, LocalTime.minute(workout.start.microseconds),
        DurationText.clock(microseconds: workout.duration.wholeMicroseconds), "\(workout.configuration.activityType)",
        workout.activities.isEmpty ? "" : "\(workout.activities.count)", whole(rates?.average), whole(rates?.maximum),
        whole(entry.recovery),
      ])
    }
    return table.rendered(columns: columns)
  }

  private static func whole(_ value: Double?) -> String { value.map { FixedPoint.text($0, digits: 0) } ?? "" }
}
