import Support

/// A small generator with a seed, so that a failing random test can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
  private var generator: SplitMix64

  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  public mutating func next() -> UInt64 { generator.next() }
}
