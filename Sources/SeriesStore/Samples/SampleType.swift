public import HealthModel

/// What a sample holds.
public enum SampleType: Hashable, Sendable, CustomStringConvertible {
  /// Values of a quantity type; a single value is a series of one.
  case quantity(QuantityType)
  /// Beats.
  case heartbeatSeries

  /// The name in the file: HealthKit's without its prefix.
  public var identifier: String {
    switch self {
    case .quantity(let type): type.identifier
    case .heartbeatSeries: "heartbeatSeries"
    }
  }

  /// The name in the file.
  public var description: String { identifier }
}
