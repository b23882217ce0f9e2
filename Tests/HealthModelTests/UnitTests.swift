import HealthModel
import Testing

@Suite("Unit")
struct UnitTests {
  @Test(
    "values are converted",
    arguments: [
      (1.0, "km", 1000, "m"), (1, "mi", 1609.344, "m"), (1, "yd", 0.9144, "m"), (1, "cal", 4.184, "J"),
      (1, "kcal", 1, "Cal"), (60, "count/min", 1, "count/s"), (60, "count/min", 1, "Hz"), (50, "%", 0.5, "count"),
      (0, "degC", 32, "degF"), (100, "degC", 373.15, "K"), (-40, "degF", -40, "degC"), (1, "mmHg", 133.322387415, "Pa"),
      (94, "dBASPL", 1.0023744672545447, "Pa"), (20e-6, "Pa", 0, "dBASPL"),
      (1, "mmol<180.15588>/L", 18.015588, "mg/dL"),
      (36, "km/hr", 10, "m/s"), (1, "ml/(kg*min)", 1, "mL/kg*min"), (1, "kg.m^2/s^2", 1, "J"),
      (1, "g*m^-3", 1, "mcg/cm^3"), (1, "\u{B5}g", 1, "mcg"), (2, "dam", 20, "m"), (30, "dBHL", 30, "dBHL"),
      (2, "pD", 2, "pD"),
      (1, "J/s", 1, "W"), (1, "st", 14, "lb"), (1, "hr", 60, "min"), (1000, "IU", 1000, "IU"), (180, "deg", .pi, "rad"),
    ])
  func converts(value: Double, from: String, expected: Double, to: String) throws {
    let result = try Quantity(value, Unit(parsing: from)).value(in: Unit(parsing: to))
    #expect(abs(result - expected) <= 1e-12 * max(1, abs(expected)))
  }

  @Test(
    "units that measure different things are not converted",
    arguments: [
      ("m", "s"), ("count/min", "count"), ("dBHL", "dBASPL"), ("pD", "%"), ("pD", "D"), ("IU", "mg"), ("J", "W"),
      ("degC", "Pa"),
    ])
  func incompatible(from: String, to: String) throws {
    let units = (try Unit(parsing: from), try Unit(parsing: to))
    #expect(!units.0.isCompatible(with: units.1))
    #expect(throws: UnitError.incompatible(from, to)) { try Quantity(1, units.0).value(in: units.1) }
  }

  @Test(
    "what is no unit is refused",
    arguments: [
      "", "/", "m/", "m//s", "m/s/s", "xyz", "kmin", "kdegC", "m^", "m^x", "m^-", "m**s", "mol", "mol<>", "mol<x>",
      "mol<0>", "mol<-1>", "xmol<18>", "degC/min", "dBASPL*s", "s*degC", "m^99*m^99", "ml/(kg*min", "ml/kg)", "m s",
      "5m",
      "mol<nan>", "mol<inf>", "g<3>",
    ])
  func refuses(symbol: String) {
    #expect(throws: UnitError.self) { try Unit(parsing: symbol) }
    #expect(Unit(symbol) == nil)
  }

  @Test("every type's unit is read from its own symbol")
  func typesUnits() throws {
    for type in QuantityType.all {
      let parsed = try Unit(parsing: type.unit.symbol)
      #expect(abs(try parsed.convert(1, to: type.unit) - 1) < 1e-12, "\(type.identifier)")
      #expect(QuantityType(identifier: type.identifier) == type)
    }
    #expect(QuantityType(identifier: "mood") == nil)
    #expect(Set(QuantityType.all.map(\.identifier)).count == QuantityType.all.count)
  }
}
