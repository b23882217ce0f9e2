import Bits

/// The first bytes of every chunk: a checksum of the bytes after it, and the number of the layout.
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

  /// Checks checksum and layout, and returns a reader of the bytes after them.
  static func open(_ bytes: [UInt8], layout: UInt8) throws(ChunkError) -> ByteReader {
    guard bytes.count >= 5 else { throw .truncated }
    guard isWhole(bytes) else { throw .checksumMismatch }
    guard bytes[4] == layout else { throw .unknownLayout(bytes[4]) }
    return ByteReader(bytes, from: 5)
  }
}

/// Writes the head of a chunk: bytes and variable-length integers (LEB128).
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func putVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func putSigned(_ value: Int64) {
    putVarint(ZigZag.encode(value))
  }
}

/// Reads the head of a chunk: bytes and variable-length integers (LEB128).
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position: Int

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    position = start
  }

  mutating func read() throws(ChunkError) -> UInt8 {
    guard position < bytes.count else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func readVarint() throws(ChunkError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try read()
      guard shift < 63 || (shift == 63 && byte <= 1) else { throw .invalid(field: "integer") }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
  }

  mutating func readSigned() throws(ChunkError) -> Int64 {
    ZigZag.decode(try readVarint())
  }

  /// A count of values that take at least one bit each; throws if the count exceeds the bits that are left.
  mutating func readCount() throws(ChunkError) -> Int {
    let count = try readVarint()
    guard count <= UInt64(bytes.count - position) * 8 else { throw .invalid(field: "count") }
    return Int(count)
  }
}

/// Maps signed to unsigned integers, small ones to small ones: 0, −1, 1, −2 … become 0, 1, 2, 3 …
enum ZigZag {
  static func encode(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value << 1) ^ (value >> 63))
  }

  static func decode(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}

/// The reason why a packed chunk cannot be read.
enum ChunkError: Error, Hashable {
  /// The bytes end before the last value.
  case truncated
  /// The checksum is wrong: the bytes were changed.
  case checksumMismatch
  /// This version of the program does not know the layout.
  case unknownLayout(UInt8)
  /// A field has a value that no encoder writes.
  case invalid(field: String)
}
