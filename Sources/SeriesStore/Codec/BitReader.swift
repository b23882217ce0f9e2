/// Takes bits from bytes, the most significant first; past the end it throws, whatever the bytes are.
///
/// Bits wait in a word, left-aligned, and eight bytes at a time fill it up: a value costs a few instructions, not a few a bit.
struct BitReader {
  private let bytes: [UInt8]
  private var position: Int
  /// The next bits, left-aligned. Below the `available` ones stand zeros, or the beginning of what follows.
  private var window: UInt64 = 0
  private var available = 0

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    position = start
  }

  /// At least 56 bits in the window, or all that are left.
  @inline(__always)
  mutating func refill() {
    guard available < 56 else { return }
    if bytes.count - position >= 8 {
      let word = unsafe UInt64(
        bigEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      window |= word &>> UInt64(truncatingIfNeeded: available)
      let count = (63 &- available) &>> 3
      position &+= count
      available &+= count &<< 3
    } else {
      refillNearEnd()
    }
  }

  private mutating func refillNearEnd() {
    while available <= 56, position < bytes.count {
      window |= UInt64(bytes[position]) << UInt64(56 - available)
      position += 1
      available += 8
    }
  }

  /// The next `count` bits, at most 56.
  @inline(__always)
  mutating func take(_ count: Int) throws(ChunkError) -> UInt64 {
    refill()
    guard available >= count else { throw .truncated }
    guard count > 0 else { return 0 }
    let value = window &>> UInt64(truncatingIfNeeded: 64 &- count)
    drop(count)
    return value
  }

  @inline(__always)
  private mutating func drop(_ count: Int) {
    window &<<= UInt64(truncatingIfNeeded: count)
    available &-= count
  }

  /// Counts zeros up to `limit` (at most 40) and takes them with the one that ends them, which is not there after `limit`.
  @inline(__always)
  mutating func takeZeros(limit: Int) throws(ChunkError) -> Int {
    refill()
    let zeros = window.leadingZeroBitCount
    if zeros >= limit {
      guard available >= limit else { throw .truncated }
      drop(limit)
      return limit
    }
    guard zeros < available else { throw .truncated }
    drop(zeros &+ 1)
    return zeros
  }

  /// A number of up to `limit` zeros, the one that ends them, and `count` bits, in one; nil, and nothing taken, where there
  /// are `limit` zeros or the whole is not in the window, which ``refill()`` has filled before.
  @inline(__always)
  mutating func takeRice(limit: Int, bits count: Int) -> UInt64? {
    let zeros = window.leadingZeroBitCount
    let length = zeros &+ 1 &+ count
    guard zeros < limit, length <= available else { return nil }
    let rest = window &<< UInt64(truncatingIfNeeded: zeros &+ 1)
    // Two shifts, since one by 64 would be one by 0.
    let low = (rest &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count)
    drop(length)
    return UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: count) | low
  }
}
