/// What a category sample tells of: a name; its values are integers whose meaning the type gives.
///
/// Open: any name makes a type.
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
  /// One continuous stage of sleep, or time in bed; values are those of ``CategoryValue/inBed`` and its neighbours.
  public static let sleepAnalysis = CategoryType(identifier: "sleepAnalysis")
  /// The heart beat slowly while its owner was at rest; value 0.
  public static let lowHeartRateEvent = CategoryType(identifier: "lowHeartRateEvent")
  /// The heart beat fast while its owner was at rest; value 0.
  public static let highHeartRateEvent = CategoryType(identifier: "highHeartRateEvent")
  /// The rhythm looked irregular; value 0.
  public static let irregularHeartRhythmEvent = CategoryType(identifier: "irregularHeartRhythmEvent")
  /// The surroundings were too loud; value ``CategoryValue/momentaryLimit``.
  public static let environmentalAudioExposureEvent = CategoryType(identifier: "environmentalAudioExposureEvent")
  /// Headphones were too loud for too long; value ``CategoryValue/sevenDayLimit``.
  public static let headphoneAudioExposureEvent = CategoryType(identifier: "headphoneAudioExposureEvent")
}
