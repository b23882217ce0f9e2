import Bits

/// A Bluetooth device address: 48 bits, written `C0:FF:EE:00:00:01`.
public struct DeviceAddress: Hashable, Sendable {
  /// The address in its low 48 bits, the first written byte highest.
  public let bits: UInt64

  /// Nil where `bits` has more than 48 bits.
  public init?(bits: UInt64) {
    guard bits >> 48 == 0 else { return nil }
    self.bits = bits
  }

  /// The address in the low 48 bits of `bits`; those above are not looked at.
  public init(truncatingBits bits: UInt64) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
  }

  /// Reads six two-digit hexadecimal bytes between colons; nil for anything else.
  public init?(_ text: some StringProtocol) {
    self.init(text, separator: UInt8(ascii: ":"))
  }

  /// As ``init(_:)``, with another character between the bytes: object paths have underscores there.
  init?(_ text: some StringProtocol, separator: UInt8) {
    guard text.utf8.count == 17 else { return nil }
    var bits: UInt64 = 0
    for (position, character) in text.utf8.enumerated() {
      if position % 3 == 2 {
        guard character == separator else { return nil }
      } else {
        guard let digit = Hexadecimal.valueInEitherCase(character) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
    }
    self.bits = bits
  }

  func text(separator: UInt8) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for shift in stride(from: 40, through: 0, by: -8) {
      text.append(digits[Int(bits >> UInt64(shift + 4) & 0xF)])
      text.append(digits[Int(bits >> UInt64(shift) & 0xF)])
      if shift > 0 { text.append(separator) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension DeviceAddress: Comparable, CustomStringConvertible {
  public var description: String { text(separator: UInt8(ascii: ":")) }

  public static func < (first: DeviceAddress, second: DeviceAddress) -> Bool { first.bits < second.bits }
}
