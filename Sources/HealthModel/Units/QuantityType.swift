/// What is measured: a name, the unit in which values are stored, and how they are aggregated.
public struct QuantityType: Hashable, Sendable {
  /// HealthKit's name without its prefix: `heartRate`.
  public let identifier: String
  /// The unit of stored values; every compatible one is accepted and converted.
  public let unit: Unit
  /// How values become one figure.
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
  /// Beats a minute, as a sensor reports them.
  public static let heartRate = QuantityType("heartRate", .countPerMinute, .discreteTemporallyWeighted)
  /// Beats a minute at rest.
  public static let restingHeartRate = QuantityType("restingHeartRate", .countPerMinute, .discreteArithmetic)
  /// Mean beats a minute while walking.
  public static let walkingHeartRateAverage = QuantityType(
    "walkingHeartRateAverage", .countPerMinute, .discreteArithmetic)
  /// The standard deviation of the NN intervals, in ms.
  public static let heartRateVariabilitySDNN = QuantityType(
    "heartRateVariabilitySDNN", .millisecond, .discreteArithmetic)
  /// A positive drop in beats a minute, one minute after the end of a workout.
  public static let heartRateRecoveryOneMinute = QuantityType(
    "heartRateRecoveryOneMinute", .countPerMinute, .discreteArithmetic)
  /// The upper blood pressure, in mmHg.
  public static let bloodPressureSystolic = QuantityType(
    "bloodPressureSystolic", .millimeterOfMercury, .discreteArithmetic)
  /// The lower blood pressure, in mmHg.
  public static let bloodPressureDiastolic = QuantityType(
    "bloodPressureDiastolic", .millimeterOfMercury, .discreteArithmetic)
  /// Breaths a minute.
  public static let respiratoryRate = QuantityType("respiratoryRate", .countPerMinute, .discreteArithmetic)
  /// The share of haemoglobin that carries oxygen, in %.
  public static let oxygenSaturation = QuantityType("oxygenSaturation", .percent, .discreteArithmetic)
  /// In °C.
  public static let bodyTemperature = QuantityType("bodyTemperature", .degreeCelsius, .discreteArithmetic)
  /// In kg.
  public static let bodyMass = QuantityType("bodyMass", .kilogram, .discreteArithmetic)
  /// In m.
  public static let height = QuantityType("height", .meter, .discreteArithmetic)
  /// Steps.
  public static let stepCount = QuantityType("stepCount", .count, .cumulative)
  /// Flights of stairs, of about 3 m each.
  public static let flightsClimbed = QuantityType("flightsClimbed", .count, .cumulative)
  /// On foot, in m.
  public static let distanceWalkingRunning = QuantityType("distanceWalkingRunning", .meter, .cumulative)
  /// By bicycle, in m.
  public static let distanceCycling = QuantityType("distanceCycling", .meter, .cumulative)
  /// In water, in m.
  public static let distanceSwimming = QuantityType("distanceSwimming", .meter, .cumulative)
  /// Energy for activity, in kcal.
  public static let activeEnergyBurned = QuantityType("activeEnergyBurned", .kilocalorie, .cumulative)
  /// Energy at rest, in kcal.
  public static let basalEnergyBurned = QuantityType("basalEnergyBurned", .kilocalorie, .cumulative)
  /// Strokes of a swimmer.
  public static let swimmingStrokeCount = QuantityType("swimmingStrokeCount", .count, .cumulative)
  /// In m.
  public static let runningStrideLength = QuantityType("runningStrideLength", .meter, .discreteArithmetic)
  /// In W.
  public static let runningPower = QuantityType("runningPower", .watt, .discreteArithmetic)
  /// In m/s.
  public static let runningSpeed = QuantityType("runningSpeed", .meterPerSecond, .discreteArithmetic)
  /// How far a runner goes up and down with a step, in m.
  public static let runningVerticalOscillation = QuantityType(
    "runningVerticalOscillation", .meter, .discreteArithmetic)
  /// How long a runner's foot stays on the ground, in ms.
  public static let runningGroundContactTime = QuantityType(
    "runningGroundContactTime", .millisecond, .discreteArithmetic)
  /// Sound from headphones: A-weighted level, in dBASPL.
  public static let headphoneAudioExposure = QuantityType(
    "headphoneAudioExposure", .decibelAWeightedSoundPressureLevel, .discreteEquivalentContinuousLevel)
  /// Sound of the surroundings: A-weighted level, in dBASPL.
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
