/// The type of a sample that consists of others: a name, and the quantity types of its required parts.
///
/// Open: any name and parts are a type.
public struct CorrelationType: Hashable, Sendable, CustomStringConvertible, Codable {
  /// HealthKit's name without its prefix: `bloodPressure`.
  public let identifier: String
  /// The required parts: at least one sample of each type.
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

extension CorrelationType {
  /// The library's types.
  static let standard: [CorrelationType] = [bloodPressure]

  /// The library's type with that identifier; nil if there is none.
  public init?(identifier: String) {
    guard let type = Self.standard.first(where: { $0.identifier == identifier }) else { return nil }
    self = type
  }
}
