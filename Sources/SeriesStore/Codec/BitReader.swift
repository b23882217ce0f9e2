/// Takes bits from bytes, the most significant first; past the end it throws, whatever the bytes are.
struct BitReader {
  private let bytes: [UInt8]
  private var position: Int
  /// The next bits, left-aligned; below them zeros.
  private var window: UInt64 = 0
  private var available = 0

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    position = start
  }

  /// At least 56 bits in the window, or all that are left.
  private mutating func refill() {
    while available <= 56, position < bytes.count {
      window |= UInt64(bytes[position]) << UInt64(56 - available)
      position += 1
      available += 8
    }
  }

  /// The next `count` bits, at most 56.
  mutating func take(_ count: Int) throws(ChunkError) -> UInt64 {
    if available < count { refill() }
    guard available >= count else { throw .truncated }
    guard count > 0 else { return 0 }
    let value = window >> UInt64(64 - count)
    window <<= UInt64(count)
    available -= count
    return value
  }

  /// 64 bits.
  mutating func takeWord() throws(ChunkError) -> UInt64 {
    let high = try take(32)
    return high << 32 | (try take(32))
  }

  /// Counts zeros up to `limit` (at most 40) and takes them with the one that ends them, which is not there after `limit`.
  mutating func takeZeros(limit: Int) throws(ChunkError) -> Int {
    if available <= limit { refill() }
    let zeros = window.leadingZeroBitCount
    if zeros >= limit {
      guard available >= limit else { throw .truncated }
      window <<= UInt64(limit)
      available -= limit
      return limit
    }
    guard zeros < available else { throw .truncated }
    window <<= UInt64(zeros + 1)
    available -= zeros + 1
    return zeros
  }
}
