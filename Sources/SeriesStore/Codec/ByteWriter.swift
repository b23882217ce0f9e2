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
