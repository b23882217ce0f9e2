/// A number with its unit.
public struct Quantity: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The number, in the unit.
  public var value: Double
  /// The unit of the number.
  public var unit: Unit

  /// `value` times `unit`.
  public init(_ value: Double, _ unit: Unit) {
    self.value = value
    self.unit = unit
  }

  /// The number, a space and the unit's symbol: `61.5 count/min`.
  public var description: String { "\(value) \(unit)" }

  /// The value of the same quantity in `unit`.
  public func value(in unit: Unit) throws(UnitError) -> Double {
    try self.unit.convert(value, to: unit)
  }
}
