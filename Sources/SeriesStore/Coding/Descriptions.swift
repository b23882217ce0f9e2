import HealthModel

// Descriptions for a person. They contain health data and must not be logged.

extension NewSample: CustomStringConvertible {
  /// The type and the time: `sleepAnalysis 2026-11-22T01:30:00.000000Z/2026-11-22T02:00:00.000000Z`.
  public var description: String { "\(type) \(span)" }
}
