import ArgumentParser
import Documents
import HealthModel
import Reports
import Support

/// `sensord workouts`: the workouts that sensord and other programs stored.
struct WorkoutsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "workouts", abstract: "List workouts, oldest first.",
    usage: """
      sensord workouts [--type <type>] [--activity-average-over <rate>]
                       [--from <t>] [--to <t>] [options]
      """,
    discussion: """
      Lengths are without pauses, rates and recovery in beats a minute. 'sensord
      show' has all of one, by the first digits of its name. A type is a word of
      HealthKit, such as running or swimBikeRun, or its number.

        sensord workouts --type running --from 2026-11-01
        sensord workouts --activity-average-over 150
      """)

  @Option(
    help: ArgumentHelp("Only workouts of this type.", valueName: "type"),
    transform: Self.type)
  var type: WorkoutActivityType?

  @Option(
    help: ArgumentHelp("Only those with an activity of a higher mean heart rate.", valueName: "rate"),
    transform: Self.rate)
  var activityAverageOver: Double?

  @Option(help: ArgumentHelp("Leave out what ended before, as in 2026-11-21T06:00.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what began then or later.", valueName: "t"))
  var to: String?

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let predicate = try predicate()
    let catalogue = try list.store.catalogue()
    let (workouts, damages) = try CommandLoop.run { try await catalogue.workouts(predicate) }
    return Listing(
      workouts, json: { .object($0.members) },
      absence: "There are no such workouts. 'sensord workout start' begins one.\n", damages: damages,
      rows: Self.table)
  }

  private func predicate() throws -> SamplePredicate {
    var parts = [try MomentText.predicate(from: from, to: to)]
    if let type { parts.append(.workout(.activityType(type))) }
    if let rate = activityAverageOver {
      parts.append(.workoutActivity(.statistic(.average, of: .heartRate, .greater, Quantity(rate, .countPerMinute))))
    }
    return .and(parts)
  }

  private static func type(_ text: String) throws -> WorkoutActivityType {
    guard let type = WorkoutActivityType(text) else {
      throw ValidationError("a type is a word such as running, cycling or swimBikeRun, or HealthKit's number")
    }
    return type
  }

  private static func rate(_ text: String) throws -> Double {
    guard let rate = Double(text), rate >= 0, rate.isFinite else {
      throw ValidationError("a rate is a number of beats a minute")
    }
    return rate
  }
}

/// The rows of `sensord workouts`.
extension WorkoutsCommand {
  private static func table(_ entries: [WorkoutEntry], columns: Int) -> String {
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
