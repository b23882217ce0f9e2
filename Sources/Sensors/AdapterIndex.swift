/// Which Bluetooth adapter of this machine: the number that Linux gives it, written `hci0`.
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
