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
