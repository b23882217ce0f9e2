/// Where somebody was at a moment, as a receiver of satellites tells it.
///
/// SI units, angles in degrees (WGS 84). What the receiver did not know is nil, where Core Location has a negative number.
public struct RouteLocation: Hashable, Sendable, Codable {
  /// When.
  public var time: Timestamp
  /// Degrees north of the equator, −90 to 90.
  public var latitude: Double
  /// Degrees east of Greenwich, −180 to 180.
  public var longitude: Double
  /// Metres above mean sea level, −12,000 to 100,000.
  public var altitude: Double?
  /// The radius in metres in which the place is; 0 or more.
  public var horizontalAccuracy: Double?
  /// How far in metres the altitude may be wrong; 0 or more.
  public var verticalAccuracy: Double?
  /// Metres a second, 0 to 10,000.
  public var speed: Double?
  /// The direction of movement in degrees clockwise from true north, 0 to below 360.
  public var course: Double?

  /// A place with what is known of it; ``validate()`` looks at the ranges.
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
