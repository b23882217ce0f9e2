/// Text in XML.
enum XMLText {
  /// For an element or an attribute; characters that XML cannot have become U+FFFD.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // In an attribute they would be read as blanks.
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
