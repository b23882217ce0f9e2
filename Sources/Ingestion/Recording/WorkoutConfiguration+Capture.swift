import Captures
import HealthModel

extension WorkoutConfiguration {
  /// What a record says. A length in a unit that only a later version knows is left out.
  init(_ its: LiveWorkout.Configuration) {
    self.init(
      WorkoutActivityType(rawValue: its.activityType), location: WorkoutSessionLocation(rawValue: its.location),
      swimmingLocation: WorkoutSwimmingLocation(rawValue: its.swimmingLocation),
      lapLength: its.lapLength.flatMap { length in Unit(length.unit).map { Quantity(length.value, $0) } })
  }
}

extension LiveWorkout.Configuration {
  /// What a record is to say.
  init(_ its: WorkoutConfiguration) {
    self.init(
      activityType: its.activityType.rawValue, location: its.location.rawValue,
      swimmingLocation: its.swimmingLocation.rawValue,
      lapLength: its.lapLength.map { LiveWorkout.Length($0.value, $0.unit.symbol) })
  }
}
