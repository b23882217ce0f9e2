/// CRC-32C (Castagnoli; RFC 3720 appendix B.4), piece by piece: detects every burst of up to 32 bits.
struct Checksum {
  private var crc: UInt32 = 0xFFFF_FFFF

  /// Of all that was added.
  var value: UInt32 { ~crc }

  /// The checksum of `bytes` from `start` on.
  static func crc32c(_ bytes: [UInt8], from start: Int = 0) -> UInt32 {
    var checksum = Checksum()
    let span = bytes.span
    unsafe checksum.add(span.bytes, from: start)
    return checksum.value
  }

  /// Adds one byte.
  mutating func add(byte: UInt8) {
    crc = Self.tables[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8)
  }

  /// Adds eight bytes, little endian.
  mutating func add(word: UInt64) {
    crc = Self.advance(crc, by: word, Self.tables.span)
  }

  /// Adds `bytes` from `start` on.
  mutating func add(_ bytes: RawSpan, from start: Int = 0) {
    var crc = crc
    var position = start
    let tables = Self.tables.span
    while bytes.byteCount &- position >= 8 {
      let word = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      crc = Self.advance(crc, by: word, tables)
      position &+= 8
    }
    while position < bytes.byteCount {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
      crc = tables[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8)
      position &+= 1
    }
    self.crc = crc
  }

  /// Eight bytes at a time: what each of them does to the sum by the end of the eight is in a table of its own.
  @inline(__always)
  private static func advance(_ crc: UInt32, by word: UInt64, _ tables: borrowing Span<UInt32>) -> UInt32 {
    let word = word ^ UInt64(crc)
    var next: UInt32 = 0
    for byte in 0..<8 {
      next ^= tables[(7 &- byte) &<< 8 | Int(truncatingIfNeeded: word &>> UInt64(8 &* byte) & 0xFF)]
    }
    return next
  }

  /// Table `n` has what a byte does to the checksum once `n` bytes have followed it.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { index in
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
      return value
    }
    for index in 256..<8 * 256 {
      let before = tables[index - 256]
      tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
    }
    return tables
  }()
}
