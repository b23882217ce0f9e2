/// A Bluetooth device address: 48 bits, written `C0:FF:EE:00:00:01`.
///
/// Two sensors are distinguished by their addresses, not by their names, since two straps of one model often have the
/// same name.
public struct SensorAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The address in its low 48 bits, the first written byte highest.
  public let bits: UInt64

  /// Nil where `bits` has more than 48 bits.
  public init?(bits: UInt64) {
    guard bits >> 48 == 0 else { return nil }
    self.bits = bits
  }

  /// Reads six two-digit hexadecimal bytes between colons; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let bytes = text.utf8
    guard bytes.count == 17 else { return nil }
    var bits: UInt64 = 0
    for (position, character) in bytes.enumerated() {
      if position % 3 == 2 {
        guard character == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = Self.digit(character) else { return nil }
        bits = bits << 4 | digit
      }
    }
    self.bits = bits
  }

  private static func digit(_ character: UInt8) -> UInt64? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
    default: nil
    }
  }

  public var description: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for shift in stride(from: 40, through: 0, by: -8) {
      text.append(digits[Int(bits >> UInt64(shift + 4) & 0xF)])
      text.append(digits[Int(bits >> UInt64(shift) & 0xF)])
      if shift > 0 { text.append(UInt8(ascii: ":")) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  public static func < (first: SensorAddress, second: SensorAddress) -> Bool {
    first.bits < second.bits
  }
}

/// The identity of a sensor: its address, where one is known, and its name.
public struct SensorIdentity: Hashable, Sendable {
  /// The address; nil in a capture without one.
  public var address: SensorAddress?
  /// The sensor's own name or the one that its owner gave it; never used to distinguish sensors.
  public var name: String?

  public init(address: SensorAddress?, name: String?) {
    self.address = address
    self.name = name
  }
}

/// The number that Linux gives a Bluetooth adapter of this machine, written `hci0`.
public struct AdapterIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number behind `hci`.
  public let number: UInt16

  public init(_ number: UInt16) {
    self.number = number
  }

  /// Reads `hci` and a decimal number; nil for anything else.
  public init?(name: some StringProtocol) {
    guard name.hasPrefix("hci"), let number = UInt16(name.dropFirst(3)), name == "hci\(number)" else { return nil }
    self.number = number
  }

  public var description: String { "hci\(number)" }

  public static func < (first: AdapterIndex, second: AdapterIndex) -> Bool {
    first.number < second.number
  }
}
