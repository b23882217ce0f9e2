/// Integers that change slowly: each but the first, which stands elsewhere, is predicted from the two before it, and the difference is
/// stored.
struct NumberColumn {
  /// How much of the last change the next one is expected to be, in halves: of a way at even speed all of it, of a value that wanders
  /// about a mean nothing.
  let halves: UInt8
  private var rice = AdaptiveRice(mean: 32)
  private var last: Int64
  private var change: Int64 = 0

  static let mostHalves: UInt8 = 2

  init(halves: UInt8, first: Int64) {
    self.halves = halves
    last = first
  }

  /// The halves by which these numbers take the fewest bits.
  static func cheapestHalves(for numbers: [Int64]) -> UInt8 {
    guard let first = numbers.first else { return 0 }
    var best: (bits: Int, halves: UInt8)?
    for halves in 0...mostHalves {
      var trial = NumberColumn(halves: halves, first: first)
      var bits = 0
      for number in numbers.dropFirst() { bits &+= trial.cost(of: number) }
      if best.map({ bits < $0.bits }) ?? true { best = (bits, halves) }
    }
    return best?.halves ?? 0
  }

  /// All arithmetic wraps, so that no input can trap.
  private var prediction: Int64 { last &+ ((change &* Int64(halves)) >> 1) }

  private mutating func advance(to number: Int64) {
    change = number &- last
    last = number
  }

  private mutating func cost(of number: Int64) -> Int {
    let bits = rice.cost(ZigZag.encode(number &- prediction))
    advance(to: number)
    return bits
  }

  mutating func encode(_ number: Int64, into writer: inout BitWriter) {
    rice.encode(ZigZag.encode(number &- prediction), into: &writer)
    advance(to: number)
  }

  mutating func decode(from reader: inout BitReader) throws(ChunkError) -> Int64 {
    let number = prediction &+ ZigZag.decode(try rice.decode(from: &reader))
    advance(to: number)
    return number
  }
}
