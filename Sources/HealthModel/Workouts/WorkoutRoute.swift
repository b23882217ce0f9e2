public import FoundationEssentials

/// The way that somebody took in a workout.
public struct WorkoutRoute: Hashable, Sendable, Identifiable, Codable {
  /// Its identifier.
  public let id: UUID
  /// The workout to which it belongs.
  public let workout: UUID
  /// In order of time; at least one.
  public let locations: [RouteLocation]
  /// Further information.
  public let metadata: Metadata

  /// The most locations of a route: one a second for eleven days.
  public static let mostLocations = 1_000_000

  init(id: UUID, of workout: UUID, _ locations: [RouteLocation], metadata: Metadata) {
    self.id = id
    self.workout = workout
    self.locations = locations
    self.metadata = metadata
  }

  /// From its first location to its last.
  public var span: TimeSpan? {
    guard let first = locations.first, let last = locations.last else { return nil }
    return TimeSpan(start: first.time, end: last.time)
  }
}
