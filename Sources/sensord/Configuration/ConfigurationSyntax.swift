/// The syntax of a configuration file: `key = value` lines in `[sections]`, as systemd writes them.
///
/// Empty lines and lines that begin with `#` or `;` say nothing; a comment cannot follow a value. Pure, and safe for
/// any bytes: what cannot be read is an error with its line.
enum ConfigurationSyntax {
  /// One `key = value` with the place it was found at.
  struct Entry: Hashable {
    var line: Int
    var section: String
    var key: String
    var value: String
  }

  /// Splits `bytes` into entries, in the order of the file.
  static func entries(of bytes: [UInt8]) throws(ConfigurationError) -> [Entry] {
    var entries: [Entry] = []
    var section: String?
    for (index, raw) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      guard let line = String(validating: raw, as: UTF8.self) else {
        throw ConfigurationError(line: number, message: "is not UTF-8 text")
      }
      let text = trimmed(line[...])
      guard let first = text.first, first != "#", first != ";" else { continue }
      if first == "[" {
        guard text.last == "]", text.count > 2 else {
          throw ConfigurationError(line: number, message: "a section is written [name]")
        }
        section = String(trimmed(text.dropFirst().dropLast()))
        continue
      }
      guard let equals = text.firstIndex(of: "=") else {
        throw ConfigurationError(line: number, message: "neither a [section], a \"key = value\" nor a # comment")
      }
      let key = String(trimmed(text[..<equals]))
      guard !key.isEmpty else { throw ConfigurationError(line: number, message: "no key before \"=\"") }
      guard let section else {
        throw ConfigurationError(line: number, message: "\"\(key)\" stands before the first [section]")
      }
      let value = String(trimmed(text[text.index(after: equals)...]))
      entries.append(Entry(line: number, section: section, key: key, value: value))
    }
    return entries
  }

  /// Without blanks at both ends; a carriage return counts as one, so that a file from elsewhere works.
  static func trimmed(_ text: Substring) -> Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let start = text.firstIndex(where: { !isBlank($0) }), let end = text.lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return text[start...end]
  }
}

/// What is wrong with a configuration file, and in which line.
struct ConfigurationError: Error, Hashable {
  /// Counted from 1.
  var line: Int
  var message: String
}
