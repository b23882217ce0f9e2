/// What a workout or an activity is, and where it takes place.
public struct WorkoutConfiguration: Hashable, Sendable, Codable {
  /// The kind of exercise.
  public var activityType: WorkoutActivityType
  /// Indoors or outdoors.
  public var location: WorkoutSessionLocation
  /// In a pool or in open water; for swimming.
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

/// Indoors or outdoors, with HealthKit's raw values. Open: an unknown number is kept.
public struct WorkoutSessionLocation: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// Takes any integer.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Nobody said where.
  public static let unknown = WorkoutSessionLocation(rawValue: 1)
  /// In a building.
  public static let indoor = WorkoutSessionLocation(rawValue: 2)
  /// Outdoors.
  public static let outdoor = WorkoutSessionLocation(rawValue: 3)

  private static let names: [WorkoutSessionLocation: String] = [
    unknown: "unknown", indoor: "indoor", outdoor: "outdoor",
  ]
}

extension WorkoutSessionLocation: LosslessStringConvertible {
  /// HealthKit's name; the number where it has none.
  public var description: String { Self.names[self] ?? "\(rawValue)" }

  /// The location of that name, or of that number; nil for any other text.
  public init?(_ description: String) {
    self.init(description, of: Self.names)
  }
}

/// In a pool or in open water, with HealthKit's raw values. Open: an unknown number is kept.
public struct WorkoutSwimmingLocation: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// Takes any integer.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Nobody said where, or it is no swim.
  public static let unknown = WorkoutSwimmingLocation(rawValue: 0)
  /// In a pool.
  public static let pool = WorkoutSwimmingLocation(rawValue: 1)
  /// In a lake, a river or the sea.
  public static let openWater = WorkoutSwimmingLocation(rawValue: 2)

  private static let names: [WorkoutSwimmingLocation: String] = [
    unknown: "unknown", pool: "pool", openWater: "openWater",
  ]
}

extension WorkoutSwimmingLocation: LosslessStringConvertible {
  /// HealthKit's name; the number where it has none.
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
