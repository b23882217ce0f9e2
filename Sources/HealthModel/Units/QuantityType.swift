/// What is measured: a name, the unit in which values are stored, and how they are aggregated.
public struct QuantityType: Hashable, Sendable {
  /// HealthKit's name without its prefix: `heartRate`.
  public let identifier: String
  /// The unit of stored values; every compatible one is accepted and converted.
  public let unit: Unit
  public let style: AggregationStyle
  /// Raised when what the style computes for this type changes.
  public let styleVersion: Int

  private init(_ identifier: String, _ unit: Unit, _ style: AggregationStyle, styleVersion: Int = 1) {
    self.identifier = identifier
    self.unit = unit
    self.style = style
    self.styleVersion = styleVersion
  }

  /// The type with that identifier; nil where there is none.
  public init?(identifier: String) {
    guard let type = Self.byIdentifier[identifier] else { return nil }
    self = type
  }

  private static let byIdentifier = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
}

extension QuantityType {
  public static let heartRate = QuantityType("heartRate", .countPerMinute, .discreteTemporallyWeighted)
  public static let restingHeartRate = QuantityType("restingHeartRate", .countPerMinute, .discreteArithmetic)
  public static let walkingHeartRateAverage = QuantityType(
    "walkingHeartRateAverage", .countPerMinute, .discreteArithmetic)
  public static let heartRateVariabilitySDNN = QuantityType(
    "heartRateVariabilitySDNN", .millisecond, .discreteArithmetic)
  /// A positive drop in beats a minute, one minute after the end of a workout.
  public static let heartRateRecoveryOneMinute = QuantityType(
    "heartRateRecoveryOneMinute", .countPerMinute, .discreteArithmetic)
  public static let bloodPressureSystolic = QuantityType(
    "bloodPressureSystolic", .millimeterOfMercury, .discreteArithmetic)
  public static let bloodPressureDiastolic = QuantityType(
    "bloodPressureDiastolic", .millimeterOfMercury, .discreteArithmetic)
  public static let respiratoryRate = QuantityType("respiratoryRate", .countPerMinute, .discreteArithmetic)
  public static let oxygenSaturation = QuantityType("oxygenSaturation", .percent, .discreteArithmetic)
  public static let bodyTemperature = QuantityType("bodyTemperature", .degreeCelsius, .discreteArithmetic)
  public static let bodyMass = QuantityType("bodyMass", .kilogram, .discreteArithmetic)
  public static let height = QuantityType("height", .meter, .discreteArithmetic)
  public static let stepCount = QuantityType("stepCount", .count, .cumulative)
  public static let flightsClimbed = QuantityType("flightsClimbed", .count, .cumulative)
  public static let distanceWalkingRunning = QuantityType("distanceWalkingRunning", .meter, .cumulative)
  public static let distanceCycling = QuantityType("distanceCycling", .meter, .cumulative)
  public static let distanceSwimming = QuantityType("distanceSwimming", .meter, .cumulative)
  public static let activeEnergyBurned = QuantityType("activeEnergyBurned", .kilocalorie, .cumulative)
  public static let basalEnergyBurned = QuantityType("basalEnergyBurned", .kilocalorie, .cumulative)
  public static let swimmingStrokeCount = QuantityType("swimmingStrokeCount", .count, .cumulative)
  public static let runningStrideLength = QuantityType("runningStrideLength", .meter, .discreteArithmetic)
  public static let runningPower = QuantityType("runningPower", .watt, .discreteArithmetic)
  public static let runningSpeed = QuantityType("runningSpeed", .meterPerSecond, .discreteArithmetic)
  public static let runningVerticalOscillation = QuantityType(
    "runningVerticalOscillation", .meter, .discreteArithmetic)
  public static let runningGroundContactTime = QuantityType(
    "runningGroundContactTime", .millisecond, .discreteArithmetic)
  public static let headphoneAudioExposure = QuantityType(
    "headphoneAudioExposure", .decibelAWeightedSoundPressureLevel, .discreteEquivalentContinuousLevel)
  public static let environmentalAudioExposure = QuantityType(
    "environmentalAudioExposure", .decibelAWeightedSoundPressureLevel, .discreteEquivalentContinuousLevel)

  /// Every type.
  public static let all: [QuantityType] = [
    heartRate, restingHeartRate, walkingHeartRateAverage, heartRateVariabilitySDNN, heartRateRecoveryOneMinute,
    bloodPressureSystolic, bloodPressureDiastolic, respiratoryRate, oxygenSaturation, bodyTemperature, bodyMass, height,
    stepCount, flightsClimbed, distanceWalkingRunning, distanceCycling, distanceSwimming, activeEnergyBurned,
    basalEnergyBurned, swimmingStrokeCount, runningStrideLength, runningPower, runningSpeed,
    runningVerticalOscillation, runningGroundContactTime, headphoneAudioExposure, environmentalAudioExposure,
  ]
}
