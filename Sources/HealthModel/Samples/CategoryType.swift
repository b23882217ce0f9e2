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
