import Glibc

/// Sebastiano Vigna's SplitMix64: a small generator whose sequence is fixed by its seed, so that runs can be repeated.
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from `range`, all equally likely.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / Double(1 << 53)
  }

  /// A number from the normal distribution of mean 0 and this standard deviation (Box and Muller).
  mutating func normal(_ deviation: Double) -> Double {
    let radius = sqrt(-2 * log(uniform(1e-12...1)))
    return deviation * radius * cos(2 * Double.pi * uniform(0...1))
  }
}
