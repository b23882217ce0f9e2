/// Why a route cannot be made.
@nonexhaustive
public enum WorkoutRouteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A time lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// A value is out of its range, or no number.
  case outOfRange(Field)
  /// The route would have more locations than this.
  case tooManyLocations(limit: Int)
  /// No location was inserted.
  case noLocations
  /// A location lies outside of the workout's time.
  case outsideWorkout
  /// The route was finished or discarded.
  case finished

  /// A value of a location.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, speed, course
  }

  /// One line for a person; values are health data and stand in none.
  public var description: String {
    switch self {
    case .timeOutOfRange: "the time lies outside of the years 1 to 9999"
    case .outOfRange(let field): "the \(field.rawValue) is out of its range"
    case .tooManyLocations(let limit): "a route has \(limit) locations at most"
    case .noLocations: "the route has no location"
    case .outsideWorkout: "a location does not lie in the workout's time"
    case .finished: "the route was finished or discarded"
    }
  }
}
