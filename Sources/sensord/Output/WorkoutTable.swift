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
        entry.shortName, LocalTime.minute(workout.start.microseconds) + (entry.isDoubtful ? "?" : ""),
        DurationText.clock(microseconds: workout.duration.wholeMicroseconds), "\(workout.configuration.activityType)",
        workout.activities.isEmpty ? "" : "\(workout.activities.count)", whole(rates?.average), whole(rates?.maximum),
        whole(entry.recovery),
      ])
    }
    let note = entries.contains(where: \.isDoubtful) ? "\n" + ClockText.note : ""
    return table.rendered(columns: columns) + note
  }

  private static func whole(_ value: Double?) -> String { value.map { FixedPoint.text($0, digits: 0) } ?? "" }
}
