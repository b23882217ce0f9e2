/// Hexadecimal digits, two for each byte. Lower case is written; whether upper case is read is the caller's choice.
public enum Hexadecimal {
  /// The digit for the lowest four bits of `value`.
  @inlinable
  public static func digit(_ value: some FixedWidthInteger) -> UInt8 {
    let nibble = UInt8(truncatingIfNeeded: value & 0xF)
    return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
  }

  /// The value of a digit as it is written here, in lower case; nil for any other byte.
  @inlinable
  public static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The value of a digit in either case; nil for any other byte.
  @inlinable
  public static func valueInEitherCase(_ digit: UInt8) -> UInt8? {
    (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit) ? digit - UInt8(ascii: "A") + 10 : value(digit)
  }

  /// Two digits for each byte.
  public static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0)] }, as: UTF8.self)
  }

  /// The bytes of `text`, in either case; nil where a character is no digit or half a byte is left. Empty text is no bytes.
  public static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for character in text.utf8 {
      guard let value = valueInEitherCase(character) else { return nil }
      if let upper = high {
        bytes.append(upper << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  /// The four bytes that eight digits in lower case stand for, the first of both lowest; nil where one of the eight is no digit.
  ///
  /// All eight are handled at once in one word, without a branch for each: a journal's records are mostly digits.
  @inlinable @inline(__always)
  public static func bytes(_ digits: UInt64) -> UInt32? {
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
