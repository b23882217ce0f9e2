/// A number with its unit.
public struct Quantity: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The number, in the unit.
  public var value: Double
  /// What the number counts.
  public var unit: Unit

  /// `value` times `unit`.
  public init(_ value: Double, _ unit: Unit) {
    self.value = value
    self.unit = unit
  }

  /// The number, a space and the unit's symbol: `61.5 count/min`.
  public var description: String { "\(value) \(unit)" }

  /// The number that the same quantity has in `unit`.
  public func value(in unit: Unit) throws(UnitError) -> Double {
    try self.unit.convert(value, to: unit)
  }
}
