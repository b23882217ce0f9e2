package import FoundationEssentials

/// The name by which a person refers to a session: `last`, or the first digits of its identifier in either case, with or
/// without the hyphens of RFC 9562. The same rule holds for every command and for the library.
package enum SessionName: Hashable, Sendable {
  /// The session that started last, of those that have rates or beats.
  case last
  /// The first digits of the identifier: 4 to 32 hexadecimal digits in upper case.
  case beginning(String)

  /// With fewer digits a name could match a session by chance.
  package static let fewestDigits = 4

  /// Parses `text`; nil if it cannot name a session.
  package init?(_ text: String) {
    guard text != "last" else {
      self = .last
      return
    }
    let digits = text.uppercased().filter { $0 != "-" }
    guard (Self.fewestDigits...32).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isHexadecimal) else {
      return nil
    }
    self = .beginning(digits)
  }

  /// Whether the identifier begins with the digits; false for `last`.
  package func matches(_ id: UUID) -> Bool {
    guard case .beginning(let digits) = self else { return false }
    return id.uuidString.filter { $0 != "-" }.hasPrefix(digits)
  }

  private static func isHexadecimal(_ digit: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit)
  }

  /// A name as a person gave it, on one line.
  static func quoted(_ name: String) -> String {
    let printable = name.unicodeScalars.prefix(40).map { $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" }
    return "'\(String(printable))'"
  }
}
