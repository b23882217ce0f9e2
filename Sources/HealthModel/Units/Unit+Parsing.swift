import Glibc

extension Unit {
  /// Parses a unit in the grammar described at ``Unit``.
  public init(parsing symbol: String) throws(UnitError) {
    var parser = Parser(symbol: symbol)
    self = try parser.parse()
  }

  /// Parses a unit; nil where ``init(parsing:)`` throws.
  public init?(_ symbol: String) {
    do { try self.init(parsing: symbol) } catch { return nil }
  }

  private struct Parser {
    let symbol: String
    private let bytes: [UInt8]
    private var position = 0
    private var dimension = Dimension()
    private var factor = 1.0
    /// The scale while the unit is a single factor: only then may it have an offset or be a level.
    private var single: Scale?
    private var count = 0

    init(symbol: String) {
      self.symbol = symbol
      bytes = Array(symbol.utf8)
    }

    mutating func parse() throws(UnitError) -> Unit {
      try factors(sign: 1)
      if consume("/") {
        let hasParenthesis = consume("(")
        try factors(sign: -1)
        if hasParenthesis, !consume(")") { throw unreadable }
      }
      guard position == bytes.count else { throw unreadable }
      if count == 1, let single { return Unit(symbol: symbol, dimension: dimension, scale: single) }
      return Unit(symbol: symbol, dimension: dimension, scale: .linear(factor: factor, offset: 0))
    }

    private var unreadable: UnitError { .unreadable(symbol, at: position) }

    private mutating func factors(sign: Int) throws(UnitError) {
      repeat { try self.factor(sign: sign) } while consume(".") || consume("*")
    }

    private mutating func factor(sign: Int) throws(UnitError) {
      let start = position
      var name = self.name()
      guard !name.isEmpty else { throw unreadable }
      let atom: Atom
      let prefix: Double
      if consume("<") {
        guard name.hasSuffix("mol"), let molarMass = number(until: ">"), molarMass > 0 else { throw unreadable }
        name.removeLast(3)
        guard let found = name.isEmpty ? 1 : Unit.prefixes.first(where: { $0.symbol == name })?.factor else {
          throw .unknownSymbol(name + "mol")
        }
        atom = Atom(molarMass, Dimension(mass: 1))
        prefix = found
      } else {
        (atom, prefix) = try Self.atom(named: name)
      }
      let power = try self.power()
      count += 1
      switch atom.scale {
      case .linear(let scale, let offset):
        if offset != 0 {
          // A difference of temperatures is not a temperature, so `degC/min` is not defined.
          guard start == 0, sign == 1, power == 1, position == bytes.count else { throw unreadable }
          single = atom.scale
        }
        factor *= pow(scale * prefix, Double(sign * power))
      case .level, .unknown:
        guard start == 0, sign == 1, power == 1, position == bytes.count else { throw unreadable }
        single = atom.scale
      }
      guard let product = dimension.multiplied(by: atom.dimension, power: sign * power), factor.isNormal else {
        throw unreadable
      }
      dimension = product
    }

    private static func atom(named name: String) throws(UnitError) -> (Atom, prefix: Double) {
      if let atom = Unit.atoms[name] { return (atom, 1) }
      for prefix in Unit.prefixes where name.hasPrefix(prefix.symbol) {
        if let atom = Unit.atoms[String(name.dropFirst(prefix.symbol.count))], atom.takesPrefix {
          return (atom, prefix.factor)
        }
      }
      throw .unknownSymbol(name)
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    /// Reads letters, `%`, `_`, and non-ASCII characters (the prefix µ).
    private mutating func name() -> String {
      let start = position
      while position < bytes.count {
        switch bytes[position] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "%"),
          UInt8(ascii: "_"), 0x80...:
          position += 1
        default:
          return String(decoding: bytes[start..<position], as: UTF8.self)
        }
      }
      return String(decoding: bytes[start...], as: UTF8.self)
    }

    private mutating func number(until end: Unicode.Scalar) -> Double? {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: end) { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      guard consume(end), let number = Double(text), number.isFinite else { return nil }
      return number
    }

    /// Reads what follows `^`: one or two digits with or without a minus; 1 without `^`.
    private mutating func power() throws(UnitError) -> Int {
      guard consume("^") else { return 1 }
      let sign = consume("-") ? -1 : 1
      var power = 0
      let start = position
      while position < bytes.count, position - start < 2, (0x30...0x39).contains(bytes[position]) {
        power = power * 10 + Int(bytes[position] - 0x30)
        position += 1
      }
      guard position > start else { throw unreadable }
      return sign * power
    }
  }
}

extension Unit {
  /// The meaning of one symbol.
  struct Atom {
    var dimension: Dimension
    var scale: Scale
    var takesPrefix: Bool

    init(_ factor: Double, _ dimension: Dimension, takesPrefix: Bool = false) {
      self.dimension = dimension
      scale = .linear(factor: factor, offset: 0)
      self.takesPrefix = takesPrefix
    }

    init(_ scale: Scale, _ dimension: Dimension) {
      self.dimension = dimension
      self.scale = scale
      takesPrefix = false
    }
  }

  // Pressure and energy are built on the gram, the base unit of mass here: 1 Pa = 1000 g/(m·s²).
  private static let length = Dimension(length: 1)
  private static let volume = Dimension(length: 3)
  private static let mass = Dimension(mass: 1)
  private static let time = Dimension(time: 1)
  private static let pressure = Dimension(length: -1, mass: 1, time: -2)
  private static let energy = Dimension(length: 2, mass: 1, time: -2)
  private static let power = Dimension(length: 2, mass: 1, time: -3)
  private static let temperature = Dimension(temperature: 1)
  private static let voltage = Dimension(length: 2, mass: 1, time: -3, current: -1)
  private static let conductance = Dimension(length: -2, mass: -1, time: 3, current: 2)

  /// All symbols but `mol<…>`, without prefixes.
  static let atoms: [String: Atom] = [
    "m": Atom(1, length, takesPrefix: true), "g": Atom(1, mass, takesPrefix: true),
    "s": Atom(1, time, takesPrefix: true), "L": Atom(0.001, volume, takesPrefix: true),
    "l": Atom(0.001, volume, takesPrefix: true), "Pa": Atom(1000, pressure, takesPrefix: true),
    "J": Atom(1000, energy, takesPrefix: true), "K": Atom(1, temperature, takesPrefix: true),
    "S": Atom(0.001, conductance, takesPrefix: true), "Hz": Atom(1, Dimension(time: -1), takesPrefix: true),
    "V": Atom(1000, voltage, takesPrefix: true), "W": Atom(1000, power, takesPrefix: true),
    "cal": Atom(4184, energy, takesPrefix: true), "Cal": Atom(4_184_000, energy),
    "oz": Atom(28.349523125, mass), "lb": Atom(453.59237, mass), "st": Atom(6350.29318, mass),
    "in": Atom(0.0254, length), "ft": Atom(0.3048, length), "yd": Atom(0.9144, length), "mi": Atom(1609.344, length),
    "fl_oz_us": Atom(29.5735295625e-6, volume), "fl_oz_imp": Atom(28.4130625e-6, volume),
    "pt_us": Atom(473.176473e-6, volume), "pt_imp": Atom(568.26125e-6, volume),
    "cup_us": Atom(236.5882365e-6, volume), "cup_imp": Atom(284.130625e-6, volume),
    "mmHg": Atom(133.322387415 * 1000, pressure), "inHg": Atom(3386.388640341 * 1000, pressure),
    "cmAq": Atom(98.0665 * 1000, pressure), "atm": Atom(101_325 * 1000, pressure),
    "dBASPL": Atom(.level(reference: 20e-6 * 1000), pressure),
    "min": Atom(60, time), "hr": Atom(3600, time), "d": Atom(86_400, time),
    "degC": Atom(.linear(factor: 1, offset: 273.15), temperature),
    "degF": Atom(.linear(factor: 5.0 / 9, offset: 459.67 * 5 / 9), temperature),
    "count": Atom(1, Dimension()), "%": Atom(0.01, Dimension()), "deg": Atom(0.017453292519943295, Dimension()),
    "rad": Atom(1, Dimension()), "D": Atom(1, Dimension(length: -1)),
    "IU": Atom(1, Dimension(effect: 1)), "dBHL": Atom(1, Dimension(hearing: 1)),
    "pD": Atom(1, Dimension(prism: 1)),
  ]

  /// Prefixes with their factors; longer ones first, since `da` begins with `d` and `mc` with `m`.
  static let prefixes: [(symbol: String, factor: Double)] = [
    ("da", 10), ("mc", 1e-6), ("\u{B5}", 1e-6), ("\u{3BC}", 1e-6), ("p", 1e-12), ("n", 1e-9), ("m", 1e-3), ("c", 1e-2),
    ("d", 1e-1), ("h", 1e2), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12),
  ]
}
