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
