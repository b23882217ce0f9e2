import Support

/// Names a service, characteristic or descriptor: 128 bits, written in 4, 8 or 36 characters.
///
/// The short forms stand for `0000xxxx-0000-1000-8000-00805f9b34fb` (Bluetooth Core Specification, Vol 3, Part B,
/// 2.5.1), so `BluetoothUUID("180d")` equals the long form that BlueZ writes.
public struct BluetoothUUID: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// The UUID that the Bluetooth SIG assigned the number `short`.
  public init(_ short: UInt16) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// Reads 4, 8 or 36 characters in either case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let characters = text.utf8
    var digits: (high: UInt64, low: UInt64) = (0, 0)
    var count = 0
    for (position, character) in characters.enumerated() {
      if characters.count == 36, position == 8 || position == 13 || position == 18 || position == 23 {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Hexadecimal.valueInEitherCase(character) else { return nil }
      digits = (digits.high << 4 | digits.low >> 60, digits.low << 4 | UInt64(digit))
      count += 1
    }
    switch (characters.count, count) {
    case (4, 4), (8, 8):
      high = digits.low << 32 | Self.baseHigh
      low = Self.baseLow
    case (36, 32):
      (high, low) = digits
    default:
      return nil
    }
  }

  /// The number that the Bluetooth SIG assigned; nil for a vendor's own UUID.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt16(exactly: high >> 32)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// All 36 characters in lower case, as BlueZ writes and expects them.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, word) in [high, low].enumerated() {
      for shift in stride(from: 60, through: 0, by: -4) {
        text.append(Hexadecimal.digit(word >> UInt64(shift)))
        if (index == 0 && (shift == 32 || shift == 16 || shift == 0)) || (index == 1 && shift == 48) {
          text.append(UInt8(ascii: "-"))
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
