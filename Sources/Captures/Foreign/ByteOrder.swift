extension Span where Element == UInt8 {
  /// Two bytes, the lowest first, as Bluetooth writes all its numbers; nil where they are cut off.
  func uint16(at offset: Int) -> UInt16? {
    guard offset >= 0, count - offset >= 2 else { return nil }
    return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  /// The byte at `offset`; nil where there is none.
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  /// A Bluetooth device address, its lowest byte first; nil where it is cut off.
  func address(at offset: Int) -> UInt64? {
    guard offset >= 0, count - offset >= 6 else { return nil }
    return (0..<6).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
  }

  /// A number of the width of `Value` in the given order; nil where it is cut off.
  func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, isBigEndian: Bool, as type: Value.Type = Value.self
  ) -> Value? {
    guard offset >= 0, count - offset >= MemoryLayout<Value>.size else { return nil }
    let value = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
  }

  /// A copy of the bytes in `range`.
  func array(_ range: Range<Int>) -> [UInt8] {
    let part = extracting(range)
    return unsafe [UInt8](unsafeUninitializedCapacity: part.count) { output, count in
      for index in 0..<part.count {
        unsafe output.initializeElement(at: index, to: part[index])
      }
      count = part.count
    }
  }
}
