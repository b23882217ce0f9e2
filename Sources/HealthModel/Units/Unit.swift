import Glibc

/// A unit of measurement, parsed from its symbol: `count/min`, `km`, `mmol<180.156>/L`, `ml/(kg*min)` …
///
/// Grammar: factors joined by `.` or `*`; at most one `/`, after which all factors (in parentheses or not) divide; powers
/// with `^`; SI prefixes `p n mc (or µ) m c d da h k M G T` before the units that accept them; `mol<…>` with the molar mass
/// in g/mol. The symbols are HealthKit's.
public struct Unit: Hashable, Sendable, CustomStringConvertible {
  /// The text from which the unit was parsed.
  public let symbol: String
  let dimension: Dimension
  let scale: Scale

  /// The conversion of a value in the unit to SI base units (metre, gram, second, kelvin, ampere).
  enum Scale: Hashable, Sendable {
    /// `value · factor + offset`
    case linear(factor: Double, offset: Double)
    /// `reference · 10^(value / 20)`: a level in decibels, 20 µPa for sound in air.
    case level(reference: Double)
    /// The meaning of values is not known.
    case unknown
  }

  init(symbol: String, dimension: Dimension, scale: Scale) {
    self.symbol = symbol
    self.dimension = dimension
    self.scale = scale
  }

  /// An unknown unit from a file of a newer program: nothing can be converted to it or from it.
  public init(opaque symbol: String) {
    self.init(symbol: symbol, dimension: Dimension(), scale: .unknown)
  }

  /// Whether values can be converted at all.
  public var isKnown: Bool { scale != .unknown }

  /// The symbol.
  public var description: String { symbol }

  /// Whether values can be converted from one to the other.
  public func isCompatible(with other: Unit) -> Bool {
    isKnown && other.isKnown && dimension == other.dimension
  }

  /// Converts a value in this unit to `other`. Sound levels and pressures are not proportional to each other.
  public func convert(_ value: Double, to other: Unit) throws(UnitError) -> Double {
    guard isKnown, other.isKnown else { throw .unknownUnit(isKnown ? other.symbol : symbol) }
    guard isCompatible(with: other) else { throw .incompatible(symbol, other.symbol) }
    guard scale != other.scale else { return value }
    let base: Double =
      switch scale {
      case .linear(let factor, let offset): value * factor + offset
      case .level(let reference): reference * pow(10, value / 20)
      case .unknown: .nan
      }
    return switch other.scale {
    case .linear(let factor, let offset): (base - offset) / factor
    case .level(let reference): 20 * log10(base / reference)
    case .unknown: .nan
    }
  }
}

extension Unit {
  /// A frequency: beats, breaths or steps a minute.
  public static let countPerMinute = Unit(symbol: "count/min", factor: 1.0 / 60, Dimension(time: -1))
  /// The SI unit of frequency.
  public static let hertz = Unit(symbol: "Hz", factor: 1, Dimension(time: -1))
  /// A dimensionless number.
  public static let count = Unit(symbol: "count", factor: 1, Dimension())
  /// A hundredth.
  public static let percent = Unit(symbol: "%", factor: 0.01, Dimension())
  /// The SI unit of time.
  public static let second = Unit(symbol: "s", factor: 1, Dimension(time: 1))
  /// A thousandth of a second.
  public static let millisecond = Unit(symbol: "ms", factor: 0.001, Dimension(time: 1))
  /// The SI unit of length.
  public static let meter = Unit(symbol: "m", factor: 1, Dimension(length: 1))
  /// A thousandth of a metre.
  public static let millimeter = Unit(symbol: "mm", factor: 0.001, Dimension(length: 1))
  /// The SI unit of mass.
  public static let kilogram = Unit(symbol: "kg", factor: 1000, Dimension(mass: 1))
  /// Energy: 4184 J.
  public static let kilocalorie = Unit(symbol: "kcal", factor: 4184 * 1000, Dimension(length: 2, mass: 1, time: -2))
  /// The SI unit of power.
  public static let watt = Unit(symbol: "W", factor: 1000, Dimension(length: 2, mass: 1, time: -3))
  /// The SI unit of speed.
  public static let meterPerSecond = Unit(symbol: "m/s", factor: 1, Dimension(length: 1, time: -1))
  /// Temperature: 0 °C is 273.15 K.
  public static let degreeCelsius = Unit(
    symbol: "degC", dimension: Dimension(temperature: 1), scale: .linear(factor: 1, offset: 273.15))
  /// Pressure: 133.322 Pa.
  public static let millimeterOfMercury = Unit(
    symbol: "mmHg", factor: 133.322387415 * 1000, Dimension(length: -1, mass: 1, time: -2))
  /// A-weighted sound pressure level, relative to 20 µPa.
  public static let decibelAWeightedSoundPressureLevel = Unit(
    symbol: "dBASPL", dimension: Dimension(length: -1, mass: 1, time: -2), scale: .level(reference: 20e-6 * 1000))
  /// Hearing level in decibels, relative to a healthy ear at the same frequency.
  public static let decibelHearingLevel = Unit(symbol: "dBHL", factor: 1, Dimension(hearing: 1))

  /// An angle: π/180.
  public static let degree = Unit(symbol: "deg", factor: 0.017453292519943295, Dimension())
  /// The power of a lens: 1/m.
  public static let diopter = Unit(symbol: "D", factor: 1, Dimension(length: -1))
  /// The deflection of a prism: 1 cm at 1 m.
  public static let prismDiopter = Unit(symbol: "pD", factor: 1, Dimension(prism: 1))

  private init(symbol: String, factor: Double, _ dimension: Dimension) {
    self.init(symbol: symbol, dimension: dimension, scale: .linear(factor: factor, offset: 0))
  }
}

/// The dimension of a unit, as powers of base quantities.
///
/// `count` and `%` are dimensionless; `mol` is converted to a mass by its molar mass, as in HealthKit.
struct Dimension: Hashable, Sendable {
  var length: Int8 = 0
  var mass: Int8 = 0
  var time: Int8 = 0
  var temperature: Int8 = 0
  var current: Int8 = 0
  /// International units: the effect of a substance, whose amount differs for each substance.
  var effect: Int8 = 0
  /// Decibels of hearing level, relative to a healthy ear at each frequency.
  var hearing: Int8 = 0
  /// Prism dioptres: a deflection of 1 cm at 1 m. Neither an angle nor a share, so it is no number.
  var prism: Int8 = 0

  /// The sum of the powers, those of `other` times `power`; nil if one leaves −99…99.
  func multiplied(by other: Dimension, power: Int) -> Dimension? {
    var product = Dimension()
    let paths: [WritableKeyPath<Dimension, Int8>] = [
      \.length, \.mass, \.time, \.temperature, \.current, \.effect, \.hearing, \.prism,
    ]
    for path in paths {
      let sum = Int(self[keyPath: path]) + Int(other[keyPath: path]) * power
      guard (-99...99).contains(sum) else { return nil }
      product[keyPath: path] = Int8(sum)
    }
    return product
  }
}

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

/// A reason why a unit cannot be used.
@nonexhaustive
public enum UnitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text does not follow the grammar of ``Unit``; `at` counts bytes from 0.
  case unreadable(String, at: Int)
  /// No unit has this symbol.
  case unknownSymbol(String)
  /// Units that cannot be converted to each other, because their dimensions differ.
  case incompatible(String, String)
  /// The unit is from a file and unknown to this program.
  case unknownUnit(String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unreadable(let symbol, let position): "'\(symbol)' is no unit: byte \(position) is not understood"
    case .unknownSymbol(let symbol): "there is no unit '\(symbol)'"
    case .incompatible(let one, let other): "\(one) cannot be converted to \(other): they measure different things"
    case .unknownUnit(let symbol): "the unit '\(symbol)' is not known to this program"
    }
  }
}

extension Unit: Codable {
  /// Decodes the symbol. An unknown symbol is decoded, too, and ``isKnown`` is false then.
  public init(from decoder: any Decoder) throws {
    let symbol = try decoder.singleValueContainer().decode(String.self)
    self = Unit(symbol) ?? Unit(opaque: symbol)
  }

  /// The symbol.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(symbol)
  }
}
