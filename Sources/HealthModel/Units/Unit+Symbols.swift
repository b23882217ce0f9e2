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
