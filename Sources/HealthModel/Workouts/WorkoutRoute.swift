public import FoundationEssentials
import Glibc

/// The way along which a person moved in a workout. A workout may have several routes, for instance of a way with a break.
public struct WorkoutRoute: Hashable, Sendable, Identifiable, Codable {
  /// The identifier of the route.
  public let id: UUID
  /// The identifier of the workout to which the route belongs.
  public let workout: UUID
  /// The locations in order of time; those of one moment in the order of their arrival.
  public let locations: [RouteLocation]
  /// Further information.
  public let metadata: Metadata

  /// The most locations of a route: one a second for eleven days.
  public static let mostLocations = 1_000_000

  /// A route with the given parts. Locations are sorted by time; ``validate()`` checks their rules.
  public init(id: UUID = UUID(), of workout: UUID, _ locations: [RouteLocation], metadata: Metadata = [:]) {
    self.id = id
    self.workout = workout
    let isOrdered = zip(locations, locations.dropFirst()).allSatisfy { $0.time <= $1.time }
    let places = isOrdered ? [] : locations.indices.sorted { (locations[$0].time, $0) < (locations[$1].time, $1) }
    self.locations = isOrdered ? locations : places.map { locations[$0] }
    self.metadata = metadata
  }

  /// The time from the first location to the last; nil without a location.
  public var span: TimeSpan? {
    guard let first = locations.first, let last = locations.last else { return nil }
    return TimeSpan(start: first.time, end: last.time)
  }

  /// The length of the way in metres, from each location straight to the next: see ``RouteLocation/distance(to:)``.
  ///
  /// All locations count as they are, so the length includes the wandering of a receiver that does not move.
  public var length: Double { locations.length }

  /// Throws ``WorkoutRouteError`` for the first rule that the route breaks: at least one location, at most
  /// ``mostLocations``, and each in its ranges. The route does not know the workout's time, so that is not checked.
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

/// The place of a person at a moment, as a satellite receiver reports it.
///
/// SI units, angles in degrees (WGS 84). What the receiver did not know is nil, where Core Location has a negative number.
public struct RouteLocation: Hashable, Sendable, Codable {
  /// The time of the location.
  public var time: Timestamp
  /// Degrees north of the equator, −90 to 90.
  public var latitude: Double
  /// Degrees east of Greenwich, −180 to 180.
  public var longitude: Double
  /// Metres above mean sea level, −12,000 to 100,000.
  public var altitude: Double?
  /// The radius in metres in which the place is; 0 or more.
  public var horizontalAccuracy: Double?
  /// The error in metres that the altitude may have; 0 or more.
  public var verticalAccuracy: Double?
  /// Metres a second, 0 to 10,000.
  public var speed: Double?
  /// The direction of movement in degrees clockwise from true north, 0 to below 360.
  public var course: Double?

  /// A location with the given parts; ``validate()`` checks their ranges.
  public init(
    at time: Timestamp, latitude: Double, longitude: Double, altitude: Double? = nil,
    horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil, course: Double? = nil
  ) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.course = course
  }

  /// Throws ``WorkoutRouteError`` for the first value that is out of its range; a value that is no number is.
  public func validate() throws(WorkoutRouteError) {
    guard Timestamp.calendarRange.contains(time) else { throw .timeOutOfRange }
    try Self.check(latitude, .latitude) { (-90...90).contains($0) }
    try Self.check(longitude, .longitude) { (-180...180).contains($0) }
    try Self.check(altitude, .altitude) { (-12_000...100_000).contains($0) }
    try Self.check(horizontalAccuracy, .horizontalAccuracy) { $0 >= 0 && $0.isFinite }
    try Self.check(verticalAccuracy, .verticalAccuracy) { $0 >= 0 && $0.isFinite }
    try Self.check(speed, .speed) { (0...10_000).contains($0) }
    try Self.check(course, .course) { (0..<360).contains($0) }
  }

  private static func check(
    _ value: Double?, _ field: WorkoutRouteError.Field, _ isValid: (Double) -> Bool
  ) throws(WorkoutRouteError) {
    if let value, !isValid(value) { throw .outOfRange(field) }
  }
}

extension RouteLocation {
  /// The distance to another place in metres: along the great circle of a sphere with the Earth's mean radius, 6,371,008.8 m.
  ///
  /// Heights do not count. The Earth is no sphere, so it may be wrong by half a per cent, less than receivers are.
  /// Source: the haversine formula; the radius is R₁ of Moritz, Geodetic Reference System 1980.
  public func distance(to other: RouteLocation) -> Double {
    let radians = Double.pi / 180
    let (south, east) = ((other.latitude - latitude) * radians / 2, (other.longitude - longitude) * radians / 2)
    let square =
      sin(south) * sin(south) + cos(latitude * radians) * cos(other.latitude * radians) * sin(east) * sin(east)
    // Of opposite places the sum may be a little over 1.
    return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
  }
}

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

  /// The number of locations so far.
  public var count: Int { locations.count }

  /// Adds all of these locations, or throws and adds no location. They may come in any order; those of one moment stay in the
  /// order in which they came.
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

  /// Discards the locations; later calls throw.
  public mutating func discard() throws(WorkoutRouteError) {
    guard !isFinished else { throw .finished }
    isFinished = true
    locations = []
  }
}

/// A reason why a route cannot be made.
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

  /// One line for a person, without values, which are health data.
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
