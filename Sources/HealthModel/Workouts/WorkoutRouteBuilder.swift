public import FoundationEssentials

/// Makes a ``WorkoutRoute`` from locations as they come in. Pure: a refused call changes nothing.
public struct WorkoutRouteBuilder: Hashable, Sendable {
  /// The identifier of the route.
  public let id: UUID
  private var locations: [RouteLocation] = []
  private var isFinished = false

  /// A builder without a location.
  public init(id: UUID = UUID()) {
    self.id = id
  }

  /// How many locations it has.
  public var count: Int { locations.count }

  /// Adds locations, all or none. They may come in any order; those of one moment stay in the order in which they came.
  public mutating func insertRouteData(_ locations: [RouteLocation]) throws(WorkoutRouteError) {
    guard !isFinished else { throw .finished }
    let limit = WorkoutRoute.mostLocations
    guard self.locations.count + locations.count <= limit else { throw .tooManyLocations(limit: limit) }
    for location in locations { try location.validate() }
    self.locations += locations
  }

  /// The route of a workout; later calls throw.
  ///
  /// - Throws: ``WorkoutRouteError/noLocations``, and ``WorkoutRouteError/outsideWorkout`` for a location before its start or after its
  ///   end: it would be of another one.
  public mutating func finishRoute(
    with workout: Workout, metadata: Metadata = [:]
  ) throws(WorkoutRouteError) -> WorkoutRoute {
    guard !isFinished else { throw .finished }
    guard !locations.isEmpty else { throw .noLocations }
    guard locations.allSatisfy({ $0.time >= workout.start && $0.time <= workout.end }) else { throw .outsideWorkout }
    isFinished = true
    return WorkoutRoute(id: id, of: workout.id, locations, metadata: metadata)
  }

  /// Makes no route; later calls throw.
  public mutating func discard() throws(WorkoutRouteError) {
    guard !isFinished else { throw .finished }
    isFinished = true
    locations = []
  }
}
