/// Appends bits to bytes, the most significant first.
struct BitWriter {
  private(set) var bytes: [UInt8]
  private var accumulator: UInt64 = 0
  /// Bits waiting in the low end of the accumulator: fewer than 8 between calls.
  private var pending = 0

  /// Bits follow after `prefix`.
  init(after prefix: [UInt8]) {
    bytes = prefix
  }

  /// Appends the low `count` bits of `value`; the bits above must be 0, `count` at most 56.
  mutating func put(_ value: UInt64, bits count: Int) {
    accumulator = accumulator << UInt64(count) | value
    pending += count
    while pending >= 8 {
      pending -= 8
      bytes.append(UInt8(truncatingIfNeeded: accumulator >> UInt64(pending)))
    }
  }

  /// Appends 64 bits.
  mutating func putWord(_ value: UInt64) {
    put(value >> 32, bits: 32)
    put(value & 0xFFFF_FFFF, bits: 32)
  }

  /// Fills the last byte with zeros and gives everything back.
  consuming func finish() -> [UInt8] {
    if pending > 0 { put(0, bits: 8 - pending) }
    return bytes
  }
}
