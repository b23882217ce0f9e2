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
