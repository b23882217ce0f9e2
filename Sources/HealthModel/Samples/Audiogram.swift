/// The hearing thresholds of a person by frequency, as pure-tone audiometry finds them (ISO 8253-1).
public struct Audiogram: Hashable, Sendable, Codable {
  /// The points by frequency, the lowest first.
  public let sensitivityPoints: [AudiogramSensitivityPoint]

  /// The most points of an audiogram; HealthKit's.
  public static let mostPoints = 30
  /// The frequencies of a point in hertz: beyond what people hear on both sides.
  public static let frequencies: ClosedRange<Double> = 1...100_000
  /// The thresholds of a point in dBHL: beyond what audiometers measure on both sides.
  public static let sensitivities: ClosedRange<Double> = -100...200

  /// An audiogram of these points, sorted by frequency; ``validate()`` checks their rules.
  public init(_ points: [AudiogramSensitivityPoint]) {
    sensitivityPoints = points.sorted { $0.frequency < $1.frequency }
  }

  /// Throws ``AudiogramError`` for the first rule that the audiogram breaks: 1 to ``mostPoints`` points, each frequency once and in
  /// ``frequencies``, at each a threshold of one ear at least, in ``sensitivities``.
  public func validate() throws(AudiogramError) {
    guard !sensitivityPoints.isEmpty else { throw .noPoints }
    guard sensitivityPoints.count <= Self.mostPoints else { throw .tooManyPoints(limit: Self.mostPoints) }
    for point in sensitivityPoints {
      guard Self.frequencies.contains(point.frequency) else { throw .frequencyOutOfRange }
      guard point.leftEarSensitivity != nil || point.rightEarSensitivity != nil else { throw .noSensitivity }
      for sensitivity in [point.leftEarSensitivity, point.rightEarSensitivity] {
        guard sensitivity.map(Self.sensitivities.contains) ?? true else { throw .sensitivityOutOfRange }
      }
    }
    for (point, next) in zip(sensitivityPoints, sensitivityPoints.dropFirst()) {
      guard point.frequency < next.frequency else { throw .equalFrequencies }
    }
  }
}

/// The faintest tone that a person hears at one frequency, for each ear.
public struct AudiogramSensitivityPoint: Hashable, Sendable, Codable {
  /// The frequency of the tone, in hertz.
  public var frequency: Double
  /// The threshold of the left ear, in dBHL (ISO 8253-1): 0 is the threshold of young people who hear well, a greater value means
  /// that a tone has to be louder. Nil where the threshold was not measured.
  public var leftEarSensitivity: Double?
  /// The threshold of the right ear, in dBHL. Nil where the threshold was not measured.
  public var rightEarSensitivity: Double?

  /// A point with the given parts, in hertz and dBHL; ``Audiogram/validate()`` checks its rules.
  public init(hertz frequency: Double, left: Double?, right: Double?) {
    self.frequency = frequency
    leftEarSensitivity = left
    rightEarSensitivity = right
  }

  /// A point in any compatible units.
  ///
  /// - Throws: ``UnitError`` for a frequency or a level in an incompatible unit.
  public init(
    frequency: Quantity, leftEarSensitivity left: Quantity?, rightEarSensitivity right: Quantity?
  ) throws(UnitError) {
    self.frequency = try frequency.value(in: .hertz)
    leftEarSensitivity = try left?.value(in: .decibelHearingLevel)
    rightEarSensitivity = try right?.value(in: .decibelHearingLevel)
  }
}

/// A reason why an audiogram cannot be stored.
@nonexhaustive
public enum AudiogramError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The audiogram has no point.
  case noPoints
  /// The audiogram has more points than `limit`.
  case tooManyPoints(limit: Int)
  /// A frequency lies outside of ``Audiogram/frequencies``, or is no number.
  case frequencyOutOfRange
  /// Two points have one frequency.
  case equalFrequencies
  /// A point has a threshold of neither ear.
  case noSensitivity
  /// A threshold lies outside of ``Audiogram/sensitivities``, or is no number.
  case sensitivityOutOfRange

  /// One line for a person, without values, which are health data.
  public var description: String {
    switch self {
    case .noPoints: "the audiogram has no point"
    case .tooManyPoints(let limit): "an audiogram has \(limit) points at most"
    case .frequencyOutOfRange: "a frequency is out of its range"
    case .equalFrequencies: "two points have the same frequency"
    case .noSensitivity: "a point has a threshold of neither ear"
    case .sensitivityOutOfRange: "a threshold is out of its range"
    }
  }
}
