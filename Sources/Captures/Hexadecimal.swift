/// Hexadecimal digits in lower case, the only form that is written: another is damage.
enum Hexadecimal {
  /// The digit for `value` & 15.
  static func digit(_ value: some FixedWidthInteger) -> UInt8 {
    let nibble = UInt8(truncatingIfNeeded: value & 0xF)
    return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
  }

  /// The value of each byte as a digit; 0xFF for those that are none.
  static let values: [UInt8] = (0...255).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(byte) - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt8(byte) - UInt8(ascii: "a") + 10
    default: 0xFF
    }
  }
}
