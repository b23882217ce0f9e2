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
