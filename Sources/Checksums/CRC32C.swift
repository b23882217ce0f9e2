internal import CLinux

/// CRC-32C (Castagnoli), the checksum of every record of a journal and of every chunk of a store: polynomial 0x1EDC6F41 reflected, as in RFC 3720 appendix B.4.
public enum CRC32C {
  /// Eight tables of 256: eight bytes are taken at a time ("slicing by 8", Kounavis and Berry 2005).
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
      }
      tables[byte] = remainder
    }
    for index in 256..<tables.count {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// The checksum of `bytes[range]`, by the processor's instruction where it has one.
  public static func checksum(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    let checksum = unsafe bytes.extracting(range).withUnsafeBytes { unsafe clinux_crc32c($0.baseAddress, $0.count) }
    return UInt32(exactly: checksum) ?? checksumByTables(bytes, range)
  }

  /// The same where the processor has no instruction for it.
  static func checksumByTables(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    let tables = Self.tables.span
    let raw = unsafe bytes.bytes
    var position = range.lowerBound
    var remainder = UInt32.max
    while range.upperBound - position >= 8 {
      let word = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      let mixed = word ^ UInt64(remainder)
      remainder = tables[1792 + Int(mixed & 0xFF)] ^ tables[1536 + Int(mixed >> 8 & 0xFF)]
      remainder ^= tables[1280 + Int(mixed >> 16 & 0xFF)] ^ tables[1024 + Int(mixed >> 24 & 0xFF)]
      remainder ^= tables[768 + Int(mixed >> 32 & 0xFF)] ^ tables[512 + Int(mixed >> 40 & 0xFF)]
      remainder ^= tables[256 + Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
      position += 8
    }
    while position < range.upperBound {
      remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(bytes[position])) & 0xFF)]
      position += 1
    }
    return ~remainder
  }
}
