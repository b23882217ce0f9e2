/// Text from others (a peripheral, a file, a server), made fit for a terminal and a log.
///
/// A sensor chooses its own name (up to 248 bytes), and a server its messages: such a text can hold escape sequences that move the
/// cursor or set the window's title, line feeds that forge a second row, and direction overrides that make the row read backwards.
/// Every such character is shown as ``placeholder``, so that a reader sees the place.
public enum PrintableText {
  /// U+FFFD, which invalid UTF-8 becomes too.
  package static let placeholder: Unicode.Scalar = "\u{FFFD}"

  /// `text` on one line, with no character that a terminal would act upon.
  public static func line(_ text: String) -> String {
    guard !text.unicodeScalars.allSatisfy(isPlainASCII) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isSafe(scalar) ? scalar : placeholder) }
    return String(result)
  }

  /// `text` on one line of at most `most` scalars; a longer text is cut and ends in `…`.
  public static func line(_ text: String, most: Int) -> String {
    // Of a text of megabytes only the beginning is looked at.
    let scalars = text.unicodeScalars.prefix(most + 1)
    let safe = line(String(scalars))
    return scalars.count > most ? String(safe.unicodeScalars.prefix(most)) + "…" : safe
  }

  /// `text` on one line of at most `columns` columns; a longer text is cut and ends in `…`.
  package static func line(_ text: String, columns: Int) -> String {
    let safe = line(text)
    guard width(of: safe) > columns else { return safe }
    var kept = ""
    var used = 0
    for character in safe {
      let width = width(of: character)
      guard used + width < columns else { break }
      kept.append(character)
      used += width
    }
    return kept + "…"
  }

  /// The number of columns of a terminal that `text` needs.
  package static func width(of text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
  }

  /// True for a scalar that only draws itself.
  package static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value >= 0x20 }
    return switch scalar.properties.generalCategory {
    // Control: C0, DEL, C1. Format: direction overrides and isolates, zero width characters, soft hyphen, tags.
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  private static func isPlainASCII(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value < 0x7F
  }

  private static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    return switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: 0
    default: isWide(first) || character.unicodeScalars.contains { $0 == "\u{FE0F}" } ? 2 : 1
    }
  }

  /// Characters that terminals draw over two columns: Hangul, Han, Kana, fullwidth forms, pictographs (UAX 11, W and F).
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
