/// Hexadecimal digits in lower case, the only form that is written: another is damage.
enum Hexadecimal {
  /// The digit for `value` & 15.
  static func digit(_ value: some FixedWidthInteger) -> UInt8 {
    let nibble = UInt8(truncatingIfNeeded: value & 0xF)
    return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
  }

  /// The value of a digit; nil for any other byte.
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The four bytes that eight digits stand for, the first of both lowest; nil where one of the eight is no digit.
  ///
  /// All eight are handled at once in one word, without a branch for each: records are mostly digits.
  @inline(__always)
  static func bytes(_ digits: UInt64) -> UInt32? {
    let isLetter = digits >> 6 & 0x0101_0101_0101_0101
    let nibbles = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ isLetter &* 9
    // Writing the digits again must give the same, with values below 16 and letters from 10 on.
    let different = digits ^ (nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27)
    let wrongKind = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101 ^ isLetter
    guard different | wrongKind | (nibbles & 0xF0F0_F0F0_F0F0_F0F0) == 0 else { return nil }
    var packed = (nibbles << 4 | nibbles >> 8) & 0x00FF_00FF_00FF_00FF
    packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: packed | packed >> 16)
  }
}
