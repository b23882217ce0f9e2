/// Appends bits to bytes, the most significant first.
///
/// Bits are collected in words of 64, which become bytes at the end.
struct BitWriter {
  private let prefix: [UInt8]
  private var words: [UInt64] = []
  private var accumulator: UInt64 = 0
  /// The number of free bits in the accumulator, whose upper bits are filled: 1 to 64 between calls.
  private var free = 64

  /// Appends bits after `prefix`, with room for `capacity` of them.
  init(after prefix: [UInt8], capacity: Int = 0) {
    self.prefix = prefix
    words.reserveCapacity(capacity / 64 + 1)
  }

  /// Appends the low `count` bits of `value`; the bits above must be 0, `count` at most 56.
  @inline(__always)
  mutating func put(_ value: UInt64, bits count: Int) {
    if count < free {
      free &-= count
      accumulator |= value &<< UInt64(truncatingIfNeeded: free)
    } else {
      let rest = count &- free
      words.append(accumulator | value &>> UInt64(truncatingIfNeeded: rest))
      free = 64 &- rest
      accumulator = rest == 0 ? 0 : value &<< UInt64(truncatingIfNeeded: free)
    }
  }

  /// Appends the difference of two bit patterns, whose upper bits are mostly the same: seven bits of its width, and so many of it.
  mutating func putDifference(_ difference: UInt64) {
    let width = 64 - difference.leadingZeroBitCount
    put(UInt64(width), bits: 7)
    if width > 32 {
      put(difference >> 32, bits: width - 32)
      put(difference & 0xFFFF_FFFF, bits: 32)
    } else {
      put(difference, bits: width)
    }
  }

  /// Fills the last byte with zeros and returns all bytes.
  consuming func finish() -> [UInt8] {
    let length = prefix.count + 8 * words.count + (64 - free + 7) / 8
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes += prefix
    for word in words { unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) } }
    var shift: UInt64 = 56
    while bytes.count < length {
      bytes.append(UInt8(truncatingIfNeeded: accumulator &>> shift))
      shift &-= 8
    }
    return bytes
  }
}
