internal import Documents

/// One line on a terminal that says how far long work is; nothing where nobody looks.
enum Progress {
  /// Shows `text` in place of what was there.
  static func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K\(PrintableText.line(text, columns: StandardError.columns - 1))")
  }

  /// Leaves the line empty.
  static func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K")
  }
}
