/// The type of a category sample: a name. The meaning of its integer values depends on the type.
///
/// Open: any name is a type.
public struct CategoryType: Hashable, Sendable, CustomStringConvertible {
  /// HealthKit's name without its prefix: `sleepAnalysis`.
  public let identifier: String

  /// The type of that name.
  public init(identifier: String) {
    self.identifier = identifier
  }

  /// The name.
  public var description: String { identifier }
}

extension CategoryType {
  /// A continuous stage of sleep, or time in bed; for its values see ``CategoryValue/inBed`` and the following.
  public static let sleepAnalysis = CategoryType(identifier: "sleepAnalysis")
  /// The heart beat slowly while the person was at rest; value 0.
  public static let lowHeartRateEvent = CategoryType(identifier: "lowHeartRateEvent")
  /// The heart beat fast while the person was at rest; value 0.
  public static let highHeartRateEvent = CategoryType(identifier: "highHeartRateEvent")
  /// The rhythm looked irregular; value 0.
  public static let irregularHeartRhythmEvent = CategoryType(identifier: "irregularHeartRhythmEvent")
  /// The environment was too loud; value ``CategoryValue/momentaryLimit``.
  public static let environmentalAudioExposureEvent = CategoryType(identifier: "environmentalAudioExposureEvent")
  /// Headphones were too loud for too long; value ``CategoryValue/sevenDayLimit``.
  public static let headphoneAudioExposureEvent = CategoryType(identifier: "headphoneAudioExposureEvent")
}

extension CategoryType {
  /// The library's types.
  static let standard: [CategoryType] = [
    sleepAnalysis, lowHeartRateEvent, highHeartRateEvent, irregularHeartRhythmEvent, environmentalAudioExposureEvent,
    headphoneAudioExposureEvent,
  ]
}

/// A value of a category sample: an integer, with HealthKit's raw values for those that have names.
///
/// Open: a type may have values that this program does not know.
public struct CategoryValue: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// The value with that integer.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// The value of types without further distinction, such as events of heart rate and rhythm.
  public static let notApplicable = CategoryValue(rawValue: 0)
}

/// Values of ``CategoryType/sleepAnalysis``; stages after the AASM.
extension CategoryValue {
  /// Time in bed, awake or asleep.
  public static let inBed = CategoryValue(rawValue: 0)
  /// Asleep, stage unknown.
  public static let asleepUnspecified = CategoryValue(rawValue: 1)
  /// Awake in bed.
  public static let awake = CategoryValue(rawValue: 2)
  /// Stages N1 and N2.
  public static let asleepCore = CategoryValue(rawValue: 3)
  /// Stage N3.
  public static let asleepDeep = CategoryValue(rawValue: 4)
  /// Stage R.
  public static let asleepREM = CategoryValue(rawValue: 5)

  /// Every value that means asleep.
  public static let allAsleepValues: Set<CategoryValue> = [asleepUnspecified, asleepCore, asleepDeep, asleepREM]
}

/// Values of the events of audio exposure.
extension CategoryValue {
  /// ``CategoryType/environmentalAudioExposureEvent``: the level was over the limit for a moment.
  public static let momentaryLimit = CategoryValue(rawValue: 1)
  /// ``CategoryType/headphoneAudioExposureEvent``: the dose of seven days was over the limit.
  public static let sevenDayLimit = CategoryValue(rawValue: 1)
}

extension CategoryType: Codable {
  /// The name; any text names a type.
  public init(from decoder: any Decoder) throws {
    self.init(identifier: try decoder.singleValueContainer().decode(String.self))
  }

  /// The name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
