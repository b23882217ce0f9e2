/// The CRC-16 of FIT files (polynomial 0x8005, reflected), a byte at a time.
package struct FITChecksum: Hashable, Sendable {
  package private(set) var value: UInt16 = 0

  package init() {}

  private static let table: [UInt16] = (0..<256).map { index in
    var value = UInt16(index)
    for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xA001 : value >> 1 }
    return value
  }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value >> 8) ^ Self.table[Int((value ^ UInt16(byte)) & 0xFF)] }
  }
}
