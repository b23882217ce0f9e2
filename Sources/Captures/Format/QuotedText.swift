import Bits

/// Text in a record: printable ASCII between quotation marks, everything else as `\u{hex}`.
///
/// A peripheral's name may hold anything. Quoted, it cannot end a line, move a terminal's cursor, change the direction of
/// writing, or look like another field.
enum QuotedText {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case " "..."~":
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      default:
        bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Reads text from its opening to its closing quotation mark. Returns the text and what follows; nil if it is not valid.
  static func read(_ bytes: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>)? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    var text = String.UnicodeScalarView()
    var rest = bytes.dropFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return (String(text), rest)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped(&rest) else { return nil }
        text.append(scalar)
      case 0x20...0x7E: text.append(Unicode.Scalar(byte))
      default: return nil
      }
    }
    return nil
  }

  /// Decodes an escape sequence after its backslash.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case UInt8(ascii: "\"")?: return "\""
    case UInt8(ascii: "\\")?: return "\\"
    case UInt8(ascii: "u")?:
      guard rest.popFirst() == UInt8(ascii: "{") else { return nil }
      var value: UInt32 = 0
      var count = 0
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "}") { return count > 0 ? Unicode.Scalar(value) : nil }
        count += 1
        guard let digit = Hexadecimal.value(byte), count <= 6 else { return nil }
        value = value << 4 | UInt32(digit)
      }
      return nil
    default: return nil
    }
  }
}
