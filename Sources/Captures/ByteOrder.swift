extension ArraySlice<UInt8> {
  /// An unsigned integer of `count` bytes, the lowest first, `offset` bytes from the start; nil where it is cut off.
  func littleEndian(at offset: Int, bytes count: Int) -> UInt64? {
    guard offset >= 0, self.count - offset >= count else { return nil }
    var value: UInt64 = 0
    for index in (startIndex + offset..<startIndex + offset + count).reversed() {
      value = value << 8 | UInt64(self[index])
    }
    return value
  }

  /// An unsigned integer of `count` bytes, the highest first, `offset` bytes from the start; nil where it is cut off.
  func bigEndian(at offset: Int, bytes count: Int) -> UInt64? {
    guard offset >= 0, self.count - offset >= count else { return nil }
    var value: UInt64 = 0
    for index in startIndex + offset..<startIndex + offset + count {
      value = value << 8 | UInt64(self[index])
    }
    return value
  }

  /// Two bytes, the lowest first, as Bluetooth writes all its numbers; nil where they are cut off.
  func uint16(at offset: Int) -> UInt16? {
    guard offset >= 0, count - offset >= 2 else { return nil }
    return UInt16(self[startIndex + offset]) | UInt16(self[startIndex + offset + 1]) << 8
  }

  /// The byte `offset` bytes from the start; nil where there is none.
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[startIndex + offset] : nil
  }
}
