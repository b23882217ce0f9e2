internal import FoundationEssentials
package import HealthModel

/// A stored workout as lists show it.
package struct WorkoutEntry: Hashable, Sendable {
  package var workout: Workout
  /// The program that saved it.
  package var source: SourceRevision
  /// The hardware that measured.
  package var device: Device?
  /// By how much the heart rate fell in the minute after it, in beats a minute; nil where that was not saved with it.
  package var recovery: Double?

  /// Whether its dates are in doubt, since the clock was not set.
  package var isDoubtful: Bool

  package init(
    _ workout: Workout, source: SourceRevision, device: Device?, recovery: Double?, isDoubtful: Bool = false
  ) {
    self.workout = workout
    self.source = source
    self.device = device
    self.recovery = recovery
    self.isDoubtful = isDoubtful
  }

  /// The first eight digits of the identifier, which name a workout well enough.
  package var shortName: String { String(workout.id.uuidString.lowercased().prefix(8)) }

  /// The object that `workouts --json` lists; keys and their order are fixed by Documentation/command-line.md.
  package var members: [JSONValue.Member] {
    [.init("id", .string(workout.id.uuidString.lowercased()))] + workout.configuration.members + [
      .init("start", .string(workout.start.iso8601())),
      .init("end", .string(workout.end.iso8601())),
      .init("seconds", .number(workout.duration.seconds)),
      .init("activityCount", .integer(workout.activities.count)),
      .init("heartRate", Self.json(workout.statistics(for: .heartRate))),
      .init("heartRateRecoveryOneMinute", .number(recovery)),
      .init("source", .string(source.identifier)),
      .init("device", ["name": .string(device?.name), "address": .string(device?.localIdentifier)]),
    ] + (isDoubtful ? [JSONValue.clockNotSet] : [])
  }

  /// What is told of heart rates.
  static func json(_ rates: WorkoutStatistics?) -> JSONValue {
    [
      "average": .number(rates?.average), "minimum": .number(rates?.minimum), "maximum": .number(rates?.maximum),
    ]
  }
}

extension WorkoutConfiguration {
  /// What a workout or an activity is.
  var members: [JSONValue.Member] {
    [
      .init("type", .string("\(activityType)")), .init("activityType", .integer(activityType.rawValue)),
      .init("location", .integer(location.rawValue)), .init("swimmingLocation", .integer(swimmingLocation.rawValue)),
      .init("lapLengthMeters", .number(try? lapLength?.value(in: .meter))),
    ]
  }
}

extension Duration {
  /// To the microsecond.
  var seconds: Double { Double(wholeMicroseconds) / 1e6 }
}
