/// The kind and the place of a workout or an activity.
public struct WorkoutConfiguration: Hashable, Sendable, Codable {
  /// The kind of exercise.
  public var activityType: WorkoutActivityType
  /// The place: indoors or outdoors.
  public var location: WorkoutSessionLocation
  /// The place of a swim: a pool or open water.
  public var swimmingLocation: WorkoutSwimmingLocation
  /// The length of a lap, in any unit of length: of a pool for instance.
  public var lapLength: Quantity?

  /// A configuration with the given parts.
  public init(
    _ activityType: WorkoutActivityType, location: WorkoutSessionLocation = .unknown,
    swimmingLocation: WorkoutSwimmingLocation = .unknown, lapLength: Quantity? = nil
  ) {
    self.activityType = activityType
    self.location = location
    self.swimmingLocation = swimmingLocation
    self.lapLength = lapLength
  }

  /// The greatest length of a lap, in metres: longer ones are mistakes of a unit.
  static let greatestLapLength: Double = 10_000

  /// Throws ``WorkoutError/invalidLapLength`` unless the length of a lap is a length above 0 and of 10 km at most.
  func validate() throws(WorkoutError) {
    guard let lapLength else { return }
    guard let meters = try? lapLength.value(in: .meter), meters > 0, meters <= Self.greatestLapLength else {
      throw .invalidLapLength
    }
  }
}

/// The place of a workout, indoors or outdoors, with HealthKit's raw values. Open: any number is a place.
public struct WorkoutSessionLocation: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// The place with that number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// A place that was not given.
  public static let unknown = WorkoutSessionLocation(rawValue: 1)
  /// A place in a building.
  public static let indoor = WorkoutSessionLocation(rawValue: 2)
  /// A place outdoors.
  public static let outdoor = WorkoutSessionLocation(rawValue: 3)

  private static let names: [WorkoutSessionLocation: String] = [
    unknown: "unknown", indoor: "indoor", outdoor: "outdoor",
  ]
}

extension WorkoutSessionLocation: LosslessStringConvertible {
  /// HealthKit's name; the number where HealthKit has no name.
  public var description: String { Self.names[self] ?? "\(rawValue)" }

  /// The location of that name, or of that number; nil for any other text.
  public init?(_ description: String) {
    self.init(description, of: Self.names)
  }
}

/// The place of a swim, a pool or open water, with HealthKit's raw values. Open: any number is a place.
public struct WorkoutSwimmingLocation: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// The place with that number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// A place that was not given, or of a workout that is no swim.
  public static let unknown = WorkoutSwimmingLocation(rawValue: 0)
  /// A swimming pool.
  public static let pool = WorkoutSwimmingLocation(rawValue: 1)
  /// A lake, a river or the sea.
  public static let openWater = WorkoutSwimmingLocation(rawValue: 2)

  private static let names: [WorkoutSwimmingLocation: String] = [
    unknown: "unknown", pool: "pool", openWater: "openWater",
  ]
}

extension WorkoutSwimmingLocation: LosslessStringConvertible {
  /// HealthKit's name; the number where HealthKit has no name.
  public var description: String { Self.names[self] ?? "\(rawValue)" }

  /// The location of that name, or of that number; nil for any other text.
  public init?(_ description: String) {
    self.init(description, of: Self.names)
  }
}

extension RawRepresentable where RawValue == Int64, Self: Hashable {
  /// The value of that name, or of that number; nil for any other text.
  init?(_ text: String, of names: [Self: String]) {
    if let named = names.first(where: { $0.value == text })?.key {
      self = named
    } else {
      guard let number = Int64(text), "\(number)" == text else { return nil }
      self.init(rawValue: number)
    }
  }
}
