/// CRC-32C (Castagnoli; RFC 3720 appendix B.4): detects every burst of up to 32 bits.
enum Checksum {
  /// The checksum of `bytes` from `start` on.
  static func crc32c(_ bytes: [UInt8], from start: Int = 0) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    var position = start
    while position < bytes.count {
      crc = table[Int((crc ^ UInt32(bytes[position])) & 0xFF)] ^ (crc >> 8)
      position += 1
    }
    return ~crc
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    return value
  }
}
