package import HealthModel

/// A quantity that devices measure along a way, in the unit of its meaning here.
package enum RideQuantity: String, Hashable, Sendable, CaseIterable {
  /// Metres since the start.
  case distance
  /// Metres a second.
  case speed
  /// Turns of a crank, or strides of one leg, a minute.
  case cadence
  /// Watts.
  case power
  /// Metres above sea level.
  case altitude
  /// The air's, in °C.
  case temperature
  /// The water's, in °C.
  case waterTemperature = "water temperature"
  /// Kilocalories since the start.
  case energy
  /// Metres.
  case verticalOscillation = "vertical oscillation"
  /// Milliseconds.
  case groundContact = "ground contact time"
  /// Metres.
  case strideLength = "stride length"
  /// Breaths a minute.
  case respiration
  /// The body's, in °C.
  case coreTemperature = "core temperature"

  /// Whether values count from the start of the recording.
  var isSum: Bool { self == .distance || self == .energy }

  /// The type for an activity, and the factor to its unit; nil where neither HealthKit nor this program has such a type.
  func type(for activity: WorkoutActivityType) -> (type: QuantityType, factor: Double)? {
    let sport = "\(activity)"
    switch self {
    case .distance: return Self.distances[sport].map { ($0, 1) }
    case .speed: return Self.speeds[sport].map { ($0, 1) }
    case .cadence:
      if Self.distances[sport] == .distanceWalkingRunning { return (.runningCadence, 2) }
      return Self.distances[sport] == .distanceCycling ? (.cyclingCadence, 1) : (.strokeRate, 1)
    case .power:
      if sport == "running" { return (.runningPower, 1) }
      return Self.distances[sport] == .distanceCycling ? (.cyclingPower, 1) : nil
    case .altitude: return (.altitude, 1)
    case .temperature: return sport == "swimming" ? (.waterTemperature, 1) : (.ambientTemperature, 1)
    case .waterTemperature: return (.waterTemperature, 1)
    case .energy: return (.activeEnergyBurned, 1)
    case .verticalOscillation: return (.runningVerticalOscillation, 1)
    case .groundContact: return (.runningGroundContactTime, 1)
    case .strideLength: return (.runningStrideLength, 1)
    case .respiration: return (.respiratoryRate, 1)
    case .coreTemperature: return (.bodyTemperature, 1)
    }
  }

  private static let distances: [String: QuantityType] = [
    "running": .distanceWalkingRunning, "walking": .distanceWalkingRunning, "hiking": .distanceWalkingRunning,
    "transition": .distanceWalkingRunning, "trackAndField": .distanceWalkingRunning,
    "cycling": .distanceCycling, "handCycling": .distanceCycling, "swimming": .distanceSwimming,
    "wheelchairWalkPace": .distanceWheelchair, "wheelchairRunPace": .distanceWheelchair, "rowing": .distanceRowing,
    "paddleSports": .distancePaddleSports, "crossCountrySkiing": .distanceCrossCountrySkiing,
    "downhillSkiing": .distanceDownhillSnowSports, "snowboarding": .distanceDownhillSnowSports,
    "skatingSports": .distanceSkatingSports,
  ]

  private static let speeds: [String: QuantityType] = [
    "running": .runningSpeed, "trackAndField": .runningSpeed, "walking": .walkingSpeed, "hiking": .walkingSpeed,
    "transition": .walkingSpeed, "cycling": .cyclingSpeed, "handCycling": .cyclingSpeed, "rowing": .rowingSpeed,
    "paddleSports": .paddleSportsSpeed, "crossCountrySkiing": .crossCountrySkiingSpeed,
  ]
}

/// One sport of a ride, as a device sums it up.
package struct RidePart: Hashable, Sendable {
  /// The activity, its place, and its name in the format.
  package var activity: WorkoutActivityType?
  package var location = WorkoutSessionLocation.unknown
  package var swimmingLocation = WorkoutSwimmingLocation.unknown
  package var sport: String?
  /// A person's name for it.
  package var name: String?
  package var span: TimeSpan?
  /// Metres.
  package var distance: Double?
  /// Kilocalories.
  package var energy: Double?
  /// Metres.
  package var poolLength: Double?

  init(kind: FITSports.Kind? = nil, activity: WorkoutActivityType? = nil, span: TimeSpan? = nil) {
    self.activity = kind?.activity ?? activity
    (location, swimmingLocation) = (kind?.location ?? .unknown, kind?.swimmingLocation ?? .unknown)
    sport = kind?.name
    self.span = span
  }
}

/// A lap, or a length of a pool.
package struct RideStretch: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case lap
    case length
  }

  package var kind: Kind
  package var span: TimeSpan
  package var strokes: Double?
  /// FIT's number of the stroke.
  package var stroke: UInt64?
  /// Metres, and kilocalories, in this lap.
  package var distance: Double?
  package var energy: Double?

  init(
    kind: Kind, span: TimeSpan, strokes: Double? = nil, stroke: UInt64? = nil, distance: Double? = nil,
    energy: Double? = nil
  ) {
    (self.kind, self.span, self.strokes, self.stroke) = (kind, span, strokes, stroke)
    (self.distance, self.energy) = (distance, energy)
  }
}
