/// How well somebody hears: hearing thresholds by frequency, as pure-tone audiometry finds them (ISO 8253-1).
public struct Audiogram: Hashable, Sendable, Codable {
  /// By frequency, the lowest first.
  public let sensitivityPoints: [AudiogramSensitivityPoint]

  /// The most points of an audiogram; HealthKit's.
  public static let mostPoints = 30
  /// The frequencies of a point in hertz: beyond what people hear on both sides.
  public static let frequencies: ClosedRange<Double> = 1...100_000
  /// The thresholds of a point in dBHL: beyond what audiometers measure on both sides.
  public static let sensitivities: ClosedRange<Double> = -100...200

  /// An audiogram of these points. They are brought into order; their rules are looked at by ``validate()``.
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

/// What somebody hears at one frequency: the faintest tone, for each ear.
public struct AudiogramSensitivityPoint: Hashable, Sendable, Codable {
  /// Of the tone, in hertz.
  public var frequency: Double
  /// Of the left ear, in dBHL (ISO 8253-1): 0 is the threshold of young people who hear well, a greater value means that a tone has to
  /// be louder. Nil where it was not measured.
  public var leftEarSensitivity: Double?
  /// Of the right ear.
  public var rightEarSensitivity: Double?

  /// A point with the given parts, in hertz and dBHL. Its rules are looked at by ``Audiogram/validate()``.
  public init(hertz frequency: Double, left: Double?, right: Double?) {
    self.frequency = frequency
    leftEarSensitivity = left
    rightEarSensitivity = right
  }

  /// A point in any compatible units.
  ///
  /// - Throws: ``UnitError`` for a frequency that is none, or a level that is no hearing level.
  public init(
    frequency: Quantity, leftEarSensitivity left: Quantity?, rightEarSensitivity right: Quantity?
  ) throws(UnitError) {
    self.frequency = try frequency.value(in: .hertz)
    leftEarSensitivity = try left?.value(in: .decibelHearingLevel)
    rightEarSensitivity = try right?.value(in: .decibelHearingLevel)
  }
}

/// Why an audiogram cannot be stored.
@nonexhaustive
public enum AudiogramError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It has no point.
  case noPoints
  /// It has more points than this.
  case tooManyPoints(limit: Int)
  /// A frequency lies outside of ``Audiogram/frequencies``, or is no number.
  case frequencyOutOfRange
  /// Two points have one frequency.
  case equalFrequencies
  /// A point has a threshold of neither ear.
  case noSensitivity
  /// A threshold lies outside of ``Audiogram/sensitivities``, or is no number.
  case sensitivityOutOfRange

  /// One line for a person; values are health data and stand in none.
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
