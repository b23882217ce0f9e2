import Bits

/// The first bytes of every chunk: a checksum of the rest, and the layout's number.
enum ChunkSeal {
  /// Writes the checksum into the first four bytes, which the caller left free.
  static func seal(_ bytes: consuming [UInt8]) -> [UInt8] {
    var sealed = bytes
    let checksum = CRC32C.checksum(sealed.span, 4..<sealed.count)
    for position in 0..<4 { sealed[position] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * position)) }
    return sealed
  }

  /// Whether the checksum is that of the rest.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 5 else { return false }
    var checksum: UInt32 = 0
    for position in 0..<4 { checksum |= UInt32(bytes[position]) << UInt32(8 * position) }
    return checksum == CRC32C.checksum(bytes.span, 4..<bytes.count)
  }

  /// Checks both and returns a reader of what follows.
  static func open(_ bytes: [UInt8], layout: UInt8) throws(ChunkError) -> ByteReader {
    guard bytes.count >= 5 else { throw .truncated }
    guard isWhole(bytes) else { throw .checksumMismatch }
    guard bytes[4] == layout else { throw .unknownLayout(bytes[4]) }
    return ByteReader(bytes, from: 5)
  }
}
