public import FoundationEssentials

/// The way that somebody took in a workout. A workout may have several: of a way with a break, for instance.
public struct WorkoutRoute: Hashable, Sendable, Identifiable, Codable {
  /// Its identifier.
  public let id: UUID
  /// The workout to which it belongs.
  public let workout: UUID
  /// In order of time; those of one moment as they came.
  public let locations: [RouteLocation]
  /// Further information.
  public let metadata: Metadata

  /// The most locations of a route: one a second for eleven days.
  public static let mostLocations = 1_000_000

  /// A route with the given parts. Locations are brought into order; their rules are looked at by ``validate()``.
  public init(id: UUID = UUID(), of workout: UUID, _ locations: [RouteLocation], metadata: Metadata = [:]) {
    self.id = id
    self.workout = workout
    let isOrdered = zip(locations, locations.dropFirst()).allSatisfy { $0.time <= $1.time }
    let places = isOrdered ? [] : locations.indices.sorted { (locations[$0].time, $0) < (locations[$1].time, $1) }
    self.locations = isOrdered ? locations : places.map { locations[$0] }
    self.metadata = metadata
  }

  /// From its first location to its last; nil without a location.
  public var span: TimeSpan? {
    guard let first = locations.first, let last = locations.last else { return nil }
    return TimeSpan(start: first.time, end: last.time)
  }

  /// The length of the way in metres, from each location straight to the next: see ``RouteLocation/distance(to:)``.
  ///
  /// All locations count as they are. So what a receiver wanders where somebody stands still is in it.
  public var length: Double { locations.length }

  /// Throws ``WorkoutRouteError`` for the first rule that the route breaks: at least one location, at most
  /// ``mostLocations``, and each in its ranges. Whether they lie in the workout's time, only who has the workout can tell.
  public func validate() throws(WorkoutRouteError) {
    guard !locations.isEmpty else { throw .noLocations }
    guard locations.count <= Self.mostLocations else { throw .tooManyLocations(limit: Self.mostLocations) }
    for location in locations { try location.validate() }
  }
}

extension [RouteLocation] {
  /// The length of the way through them in this order, in metres.
  package var length: Double {
    var length = 0.0
    for (one, next) in zip(self, dropFirst()) { length += one.distance(to: next) }
    return length
  }
}
