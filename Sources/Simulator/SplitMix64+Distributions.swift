internal import Bits
internal import Glibc

extension SplitMix64 {
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
