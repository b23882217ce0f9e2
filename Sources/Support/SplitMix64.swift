/// A small random number generator whose whole sequence follows from its seed, so that a run can be repeated.
///
/// Good enough for jitter and simulations, useless for secrets. Source: Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins the sequence of `seed`; every value is a good one, 0 too.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
