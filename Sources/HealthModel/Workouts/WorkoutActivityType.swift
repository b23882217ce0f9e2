/// What somebody does in a workout or in one of its activities, with HealthKit's raw values.
///
/// Open: a number that has no name here is kept, and its text is the number.
public struct WorkoutActivityType: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// Takes any integer.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// On foot, not running.
  public static let walking = WorkoutActivityType(rawValue: 52)
  /// Running or jogging.
  public static let running = WorkoutActivityType(rawValue: 37)
  /// On a bicycle.
  public static let cycling = WorkoutActivityType(rawValue: 13)
  /// Swimming; strokes and laps give it a SWOLF score.
  public static let swimming = WorkoutActivityType(rawValue: 46)
  /// Several sports in one workout: its activities are swimming, cycling, running or transition.
  public static let swimBikeRun = WorkoutActivityType(rawValue: 82)
  /// The way from one sport of a ``swimBikeRun`` to the next.
  public static let transition = WorkoutActivityType(rawValue: 83)
  /// In a boat or on a machine.
  public static let rowing = WorkoutActivityType(rawValue: 35)
  /// On foot in the country.
  public static let hiking = WorkoutActivityType(rawValue: 24)
  /// Yoga.
  public static let yoga = WorkoutActivityType(rawValue: 57)
  /// Intervals of great effort.
  public static let highIntensityIntervalTraining = WorkoutActivityType(rawValue: 63)
  /// With weights or machines.
  public static let traditionalStrengthTraining = WorkoutActivityType(rawValue: 50)
  /// With the weight of the body or free weights.
  public static let functionalStrengthTraining = WorkoutActivityType(rawValue: 20)
  /// On an elliptical trainer.
  public static let elliptical = WorkoutActivityType(rawValue: 16)
  /// Video games that make the player move.
  public static let fitnessGaming = WorkoutActivityType(rawValue: 76)
  /// Slow movements with attention, such as qigong.
  public static let mindAndBody = WorkoutActivityType(rawValue: 29)
  /// Anything without a number of its own.
  public static let other = WorkoutActivityType(rawValue: 3000)
}

extension WorkoutActivityType: LosslessStringConvertible {
  /// HealthKit's name, `swimBikeRun` for instance; the number where it has none.
  public var description: String { Self.names[rawValue] ?? "\(rawValue)" }

  /// The type of that name, or of that number; nil for any other text.
  public init?(_ description: String) {
    if let named = Self.numbers[description] {
      rawValue = named
    } else {
      guard let number = Int64(description), "\(number)" == description else { return nil }
      rawValue = number
    }
  }
}
