extension QuantityType {
  /// Beats a minute, as a sensor reports them.
  public static let heartRate = QuantityType(known: "heartRate", .countPerMinute, .discreteTemporallyWeighted)
  /// Beats a minute at rest.
  public static let restingHeartRate = QuantityType(known: "restingHeartRate", .countPerMinute, .discreteArithmetic)
  /// Mean beats a minute while walking.
  public static let walkingHeartRateAverage = QuantityType(
    known: "walkingHeartRateAverage", .countPerMinute, .discreteArithmetic)
  /// The standard deviation of the NN intervals, in ms.
  public static let heartRateVariabilitySDNN = QuantityType(
    known: "heartRateVariabilitySDNN", .millisecond, .discreteArithmetic)
  /// The root mean square of successive differences of NN intervals, in ms; HealthKit has no such type.
  public static let heartRateVariabilityRMSSD = QuantityType(
    known: "heartRateVariabilityRMSSD", .millisecond, .discreteArithmetic)
  /// The share of successive differences of NN intervals above 50 ms, in %; HealthKit has no such type.
  public static let heartRateVariabilityPNN50 = QuantityType(
    known: "heartRateVariabilityPNN50", .percent, .discreteArithmetic)
  /// The drop of the heart rate, in beats a minute, one minute after the end of a workout; positive.
  public static let heartRateRecoveryOneMinute = QuantityType(
    known: "heartRateRecoveryOneMinute", .countPerMinute, .discreteArithmetic)
  /// Systolic blood pressure, in mmHg.
  public static let bloodPressureSystolic = QuantityType(
    known: "bloodPressureSystolic", .millimeterOfMercury, .discreteArithmetic)
  /// Diastolic blood pressure, in mmHg.
  public static let bloodPressureDiastolic = QuantityType(
    known: "bloodPressureDiastolic", .millimeterOfMercury, .discreteArithmetic)
  /// Breaths a minute.
  public static let respiratoryRate = QuantityType(known: "respiratoryRate", .countPerMinute, .discreteArithmetic)
  /// The share of haemoglobin that is saturated with oxygen, in %.
  public static let oxygenSaturation = QuantityType(known: "oxygenSaturation", .percent, .discreteArithmetic)
  /// Body temperature, in °C.
  public static let bodyTemperature = QuantityType(known: "bodyTemperature", .degreeCelsius, .discreteArithmetic)
  /// Body mass, in kg.
  public static let bodyMass = QuantityType(known: "bodyMass", .kilogram, .discreteArithmetic)
  /// Body height, in m.
  public static let height = QuantityType(known: "height", .meter, .discreteArithmetic)
  /// The number of steps.
  public static let stepCount = QuantityType(known: "stepCount", .count, .cumulative)
  /// Flights of stairs, of about 3 m each.
  public static let flightsClimbed = QuantityType(known: "flightsClimbed", .count, .cumulative)
  /// Distance on foot, in m.
  public static let distanceWalkingRunning = QuantityType(known: "distanceWalkingRunning", .meter, .cumulative)
  /// Distance by bicycle, in m.
  public static let distanceCycling = QuantityType(known: "distanceCycling", .meter, .cumulative)
  /// Distance swum, in m.
  public static let distanceSwimming = QuantityType(known: "distanceSwimming", .meter, .cumulative)
  /// Energy for activity, in kcal.
  public static let activeEnergyBurned = QuantityType(known: "activeEnergyBurned", .kilocalorie, .cumulative)
  /// Energy at rest, in kcal.
  public static let basalEnergyBurned = QuantityType(known: "basalEnergyBurned", .kilocalorie, .cumulative)
  /// The number of a swimmer's strokes.
  public static let swimmingStrokeCount = QuantityType(known: "swimmingStrokeCount", .count, .cumulative)
  /// Stride length of a runner, in m.
  public static let runningStrideLength = QuantityType(known: "runningStrideLength", .meter, .discreteArithmetic)
  /// Power of a runner, in W.
  public static let runningPower = QuantityType(known: "runningPower", .watt, .discreteArithmetic)
  /// Speed of a runner, in m/s.
  public static let runningSpeed = QuantityType(known: "runningSpeed", .meterPerSecond, .discreteArithmetic)
  /// The height by which a runner moves up and down with each step, in m.
  public static let runningVerticalOscillation = QuantityType(
    known: "runningVerticalOscillation", .meter, .discreteArithmetic)
  /// The time for which a runner's foot stays on the ground, in ms.
  public static let runningGroundContactTime = QuantityType(
    known: "runningGroundContactTime", .millisecond, .discreteArithmetic)
  /// A-weighted level of sound from headphones, in dBASPL.
  public static let headphoneAudioExposure = QuantityType(
    known: "headphoneAudioExposure", .decibelAWeightedSoundPressureLevel, .discreteEquivalentContinuousLevel)
  /// A-weighted level of sound in the environment, in dBASPL.
  public static let environmentalAudioExposure = QuantityType(
    known: "environmentalAudioExposure", .decibelAWeightedSoundPressureLevel, .discreteEquivalentContinuousLevel)
  /// Distance by wheelchair, in m.
  public static let distanceWheelchair = QuantityType(known: "distanceWheelchair", .meter, .cumulative)
  /// Distance rowed, in m.
  public static let distanceRowing = QuantityType(known: "distanceRowing", .meter, .cumulative)
  /// Distance by kayak, canoe or board, in m.
  public static let distancePaddleSports = QuantityType(known: "distancePaddleSports", .meter, .cumulative)
  /// Distance on cross-country skis, in m.
  public static let distanceCrossCountrySkiing = QuantityType(known: "distanceCrossCountrySkiing", .meter, .cumulative)
  /// Distance down slopes of snow, in m.
  public static let distanceDownhillSnowSports = QuantityType(known: "distanceDownhillSnowSports", .meter, .cumulative)
  /// Distance on skates, in m.
  public static let distanceSkatingSports = QuantityType(known: "distanceSkatingSports", .meter, .cumulative)
  /// Speed of a walker, in m/s.
  public static let walkingSpeed = QuantityType(known: "walkingSpeed", .meterPerSecond, .discreteArithmetic)
  /// Speed of a bicycle, in m/s.
  public static let cyclingSpeed = QuantityType(known: "cyclingSpeed", .meterPerSecond, .discreteArithmetic)
  /// Speed of a rower, in m/s.
  public static let rowingSpeed = QuantityType(known: "rowingSpeed", .meterPerSecond, .discreteArithmetic)
  /// Speed of a kayak, canoe or board, in m/s.
  public static let paddleSportsSpeed = QuantityType(known: "paddleSportsSpeed", .meterPerSecond, .discreteArithmetic)
  /// Speed on cross-country skis, in m/s.
  public static let crossCountrySkiingSpeed = QuantityType(
    known: "crossCountrySkiingSpeed", .meterPerSecond, .discreteArithmetic)
  /// Power of a cyclist, in W.
  public static let cyclingPower = QuantityType(known: "cyclingPower", .watt, .discreteArithmetic)
  /// Turns of the crank a minute.
  public static let cyclingCadence = QuantityType(known: "cyclingCadence", .countPerMinute, .discreteArithmetic)
  /// Steps of a runner or walker a minute; HealthKit has no such type.
  public static let runningCadence = QuantityType(known: "runningCadence", .countPerMinute, .discreteArithmetic)
  /// Strokes of a rower, paddler or swimmer a minute; HealthKit has no such type.
  public static let strokeRate = QuantityType(known: "strokeRate", .countPerMinute, .discreteArithmetic)
  /// Height above sea level, in m; HealthKit has no such type.
  public static let altitude = QuantityType(known: "altitude", .meter, .discreteArithmetic)
  /// Temperature of water, in °C.
  public static let waterTemperature = QuantityType(known: "waterTemperature", .degreeCelsius, .discreteArithmetic)
  /// Temperature of the air, in °C, as a device on the body or the bicycle measures it; HealthKit has no such type.
  public static let ambientTemperature = QuantityType(known: "ambientTemperature", .degreeCelsius, .discreteArithmetic)

  /// All types that are part of the library; ``QuantityTypeRegistry`` also has a program's own types.
  public static let all: [QuantityType] = [
    heartRate, restingHeartRate, walkingHeartRateAverage, heartRateVariabilitySDNN,
    heartRateVariabilityRMSSD, heartRateVariabilityPNN50, heartRateRecoveryOneMinute, bloodPressureSystolic,
    bloodPressureDiastolic, respiratoryRate, oxygenSaturation, bodyTemperature, bodyMass, height, stepCount,
    flightsClimbed, distanceWalkingRunning, distanceCycling, distanceSwimming, activeEnergyBurned,
    basalEnergyBurned, swimmingStrokeCount, runningStrideLength, runningPower, runningSpeed,
    runningVerticalOscillation, runningGroundContactTime, headphoneAudioExposure, environmentalAudioExposure,
    distanceWheelchair, distanceRowing, distancePaddleSports, distanceCrossCountrySkiing, distanceDownhillSnowSports,
    distanceSkatingSports, walkingSpeed, cyclingSpeed, rowingSpeed, paddleSportsSpeed, crossCountrySkiingSpeed,
    cyclingPower, cyclingCadence, runningCadence, strokeRate, altitude, waterTemperature, ambientTemperature,
  ]
}
