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

  /// Appends the difference of two bit patterns, whose upper bits are mostly the same: the width of the difference in
  /// seven bits, then that many bits.
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

/// Reads bits from bytes, the most significant first. Reading past the end throws, whatever the bytes are.
///
/// A 64-bit window, left-aligned, is refilled eight bytes at a time: a value takes a few instructions, not a few for each
/// bit.
struct BitReader {
  private let bytes: [UInt8]
  private var position: Int
  /// The next bits, left-aligned. The bits below `available` are zeros, or the beginning of what follows.
  private var window: UInt64 = 0
  private var available = 0

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    position = start
  }

  /// Fills the window to at least 56 bits, or with all that are left.
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

  /// Reads the next `count` bits, at most 56.
  @inline(__always)
  mutating func read(_ count: Int) throws(ChunkError) -> UInt64 {
    refill()
    guard available >= count else { throw .truncated }
    guard count > 0 else { return 0 }
    let value = window &>> UInt64(truncatingIfNeeded: 64 &- count)
    drop(count)
    return value
  }

  /// Reads the difference of two bit patterns; see ``BitWriter/putDifference(_:)``.
  mutating func readDifference() throws(ChunkError) -> UInt64 {
    let width = Int(try read(7))
    guard width <= 64 else { throw .invalid(field: "value") }
    let high = width > 32 ? try read(width - 32) : 0
    return high << 32 | (try read(min(width, 32)))
  }

  @inline(__always)
  private mutating func drop(_ count: Int) {
    window &<<= UInt64(truncatingIfNeeded: count)
    available &-= count
  }

  /// Reads up to `limit` (at most 40) zeros and the 1 that ends them, which is missing after `limit` zeros. Returns the
  /// number of zeros.
  @inline(__always)
  mutating func readZeros(limit: Int) throws(ChunkError) -> Int {
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

  /// Reads up to `limit` zeros, the 1 that ends them, and `count` bits in one step. Returns nil, without reading, if there
  /// are `limit` zeros or the whole is not in the window; call ``refill()`` before.
  @inline(__always)
  mutating func readRice(limit: Int, bits count: Int) -> UInt64? {
    let zeros = window.leadingZeroBitCount
    let length = zeros &+ 1 &+ count
    guard zeros < limit, length <= available else { return nil }
    let rest = window &<< UInt64(truncatingIfNeeded: zeros &+ 1)
    // Two shifts, because a shift by 64 is not defined.
    let low = (rest &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count)
    drop(length)
    return UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: count) | low
  }
}
