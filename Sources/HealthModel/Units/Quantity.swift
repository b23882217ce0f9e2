/// A number with its unit.
public struct Quantity: Hashable, Sendable {
  public var value: Double
  public var unit: Unit

  public init(_ value: Double, _ unit: Unit) {
    self.value = value
    self.unit = unit
  }

  /// The number that the same quantity has in `unit`.
  public func value(in unit: Unit) throws(UnitError) -> Double {
    try self.unit.convert(value, to: unit)
  }
}
