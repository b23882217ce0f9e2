internal import CLinux

/// CRC-32C (Castagnoli), the checksum of every record of a journal and of every chunk and row of a store: polynomial 0x1EDC6F41
/// reflected, as in RFC 3720 appendix B.4.
///
/// A value of it is the checksum of what comes in pieces.
public struct CRC32C: Sendable {
  private var remainder = UInt32.max

  /// Begins with nothing.
  public init() {}

  /// The checksum of all that was added.
  public var value: UInt32 { ~remainder }

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

  /// Computes the checksum where the processor has no instruction for it.
  static func checksumByTables(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    var checksum = CRC32C()
    let part = bytes.extracting(range)
    unsafe checksum.add(part.bytes)
    return checksum.value
  }

  /// Adds one byte.
  public mutating func add(byte: UInt8) {
    remainder = remainder >> 8 ^ Self.tables[Int((remainder ^ UInt32(byte)) & 0xFF)]
  }

  /// Adds eight bytes, the lowest first.
  public mutating func add(word: UInt64) {
    remainder = Self.advance(remainder, by: word, Self.tables.span)
  }

  /// Adds all the bytes.
  public mutating func add(_ bytes: RawSpan) {
    let tables = Self.tables.span
    var remainder = remainder
    var position = 0
    while bytes.byteCount &- position >= 8 {
      let word = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      remainder = Self.advance(remainder, by: word, tables)
      position &+= 8
    }
    while position < bytes.byteCount {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
      remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(byte)) & 0xFF)]
      position &+= 1
    }
    self.remainder = remainder
  }

  @inline(__always)
  private static func advance(_ remainder: UInt32, by word: UInt64, _ tables: borrowing Span<UInt32>) -> UInt32 {
    let mixed = word ^ UInt64(remainder)
    var next = tables[1792 + Int(mixed & 0xFF)] ^ tables[1536 + Int(mixed >> 8 & 0xFF)]
    next ^= tables[1280 + Int(mixed >> 16 & 0xFF)] ^ tables[1024 + Int(mixed >> 24 & 0xFF)]
    next ^= tables[768 + Int(mixed >> 32 & 0xFF)] ^ tables[512 + Int(mixed >> 40 & 0xFF)]
    return next ^ tables[256 + Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
  }
}
