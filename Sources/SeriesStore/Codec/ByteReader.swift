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
