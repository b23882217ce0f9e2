/// The kind of exercise in a workout or in one of its activities, with HealthKit's raw values.
///
/// Open: any number is a type, and the text of one without a name is the number.
public struct WorkoutActivityType: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// The type with that number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Movement on foot, slower than running.
  public static let walking = WorkoutActivityType(rawValue: 52)
  /// Running or jogging.
  public static let running = WorkoutActivityType(rawValue: 37)
  /// Riding a bicycle.
  public static let cycling = WorkoutActivityType(rawValue: 13)
  /// Swimming; strokes and laps give it a SWOLF score.
  public static let swimming = WorkoutActivityType(rawValue: 46)
  /// Several sports in one workout: its activities are swimming, cycling, running or transition.
  public static let swimBikeRun = WorkoutActivityType(rawValue: 82)
  /// The way from one sport of a ``swimBikeRun`` to the next.
  public static let transition = WorkoutActivityType(rawValue: 83)
  /// Rowing in a boat or on a machine.
  public static let rowing = WorkoutActivityType(rawValue: 35)
  /// Walking in the country.
  public static let hiking = WorkoutActivityType(rawValue: 24)
  /// Yoga.
  public static let yoga = WorkoutActivityType(rawValue: 57)
  /// Intervals of great effort.
  public static let highIntensityIntervalTraining = WorkoutActivityType(rawValue: 63)
  /// Training with weights or machines.
  public static let traditionalStrengthTraining = WorkoutActivityType(rawValue: 50)
  /// Training with the weight of the body or free weights.
  public static let functionalStrengthTraining = WorkoutActivityType(rawValue: 20)
  /// Exercise on an elliptical trainer.
  public static let elliptical = WorkoutActivityType(rawValue: 16)
  /// Video games that make the player move.
  public static let fitnessGaming = WorkoutActivityType(rawValue: 76)
  /// Slow movements with attention, such as qigong.
  public static let mindAndBody = WorkoutActivityType(rawValue: 29)
  /// Anything without a number of its own.
  public static let other = WorkoutActivityType(rawValue: 3000)
}

extension WorkoutActivityType: LosslessStringConvertible {
  /// HealthKit's name, `swimBikeRun` for instance; the number where HealthKit has no name.
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

extension WorkoutActivityType {
  /// Every type that HealthKit has a name for, in the order of numbers.
  public static let named: [WorkoutActivityType] = names.keys.sorted().map(WorkoutActivityType.init(rawValue:))

  /// HealthKit's names by number.
  static let names: [Int64: String] = [
    1: "americanFootball", 2: "archery", 3: "australianFootball", 4: "badminton", 5: "baseball", 6: "basketball",
    7: "bowling", 8: "boxing", 9: "climbing", 10: "cricket", 11: "crossTraining", 12: "curling", 13: "cycling",
    14: "dance", 15: "danceInspiredTraining", 16: "elliptical", 17: "equestrianSports", 18: "fencing", 19: "fishing",
    20: "functionalStrengthTraining", 21: "golf", 22: "gymnastics", 23: "handball", 24: "hiking", 25: "hockey",
    26: "hunting", 27: "lacrosse", 28: "martialArts", 29: "mindAndBody", 30: "mixedMetabolicCardioTraining",
    31: "paddleSports", 32: "play", 33: "preparationAndRecovery", 34: "racquetball", 35: "rowing", 36: "rugby",
    37: "running", 38: "sailing", 39: "skatingSports", 40: "snowSports", 41: "soccer", 42: "softball", 43: "squash",
    44: "stairClimbing", 45: "surfingSports", 46: "swimming", 47: "tableTennis", 48: "tennis", 49: "trackAndField",
    50: "traditionalStrengthTraining", 51: "volleyball", 52: "walking", 53: "waterFitness", 54: "waterPolo",
    55: "waterSports", 56: "wrestling", 57: "yoga", 58: "barre", 59: "coreTraining", 60: "crossCountrySkiing",
    61: "downhillSkiing", 62: "flexibility", 63: "highIntensityIntervalTraining", 64: "jumpRope", 65: "kickboxing",
    66: "pilates", 67: "snowboarding", 68: "stairs", 69: "stepTraining", 70: "wheelchairWalkPace",
    71: "wheelchairRunPace", 72: "taiChi", 73: "mixedCardio", 74: "handCycling", 75: "discSports",
    76: "fitnessGaming", 77: "cardioDance", 78: "socialDance", 79: "pickleball", 80: "cooldown", 82: "swimBikeRun",
    83: "transition", 84: "underwaterDiving", 3000: "other",
  ]

  /// The numbers by name.
  static let numbers = Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
}
