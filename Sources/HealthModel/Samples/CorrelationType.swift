/// What several samples are together: a name, and the quantity types that must be among them.
///
/// Open: any name and parts make a type.
public struct CorrelationType: Hashable, Sendable, CustomStringConvertible, Codable {
  /// HealthKit's name without its prefix: `bloodPressure`.
  public let identifier: String
  /// Of each of these at least one sample belongs to it.
  public let parts: [QuantityType]

  /// The type of that name with those parts.
  public init(identifier: String, parts: [QuantityType]) {
    self.identifier = identifier
    self.parts = parts
  }

  /// The name.
  public var description: String { identifier }
}

extension CorrelationType {
  /// One measurement of blood pressure: systolic and diastolic.
  public static let bloodPressure = CorrelationType(
    identifier: "bloodPressure", parts: [.bloodPressureSystolic, .bloodPressureDiastolic])
}
