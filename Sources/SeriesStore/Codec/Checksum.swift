/// CRC-32C (Castagnoli; RFC 3720 appendix B.4): detects every burst of up to 32 bits.
enum Checksum {
  /// The checksum of `bytes` from `start` on.
  static func crc32c(_ bytes: [UInt8], from start: Int = 0) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    var position = start
    let tables = tables.span
    let all = bytes.span
    // Eight bytes at a time: what each of them does to the sum by the end of the eight is in a table of its own.
    while all.count &- position >= 8 {
      let word =
        unsafe UInt64(
          littleEndian: all.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)) ^ UInt64(crc)
      crc = 0
      for byte in 0..<8 {
        crc ^= tables[(7 &- byte) &<< 8 | Int(truncatingIfNeeded: word &>> UInt64(8 &* byte) & 0xFF)]
      }
      position &+= 8
    }
    while position < all.count {
      crc = tables[Int((crc ^ UInt32(all[position])) & 0xFF)] ^ (crc >> 8)
      position += 1
    }
    return ~crc
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
