internal import Documents

/// How the demo shows itself on stderr: one line that changes on a terminal, plain lines elsewhere.
struct DemoDisplay {
  private let isTerminal = StandardError.isTerminal
  private var shown = ""
  private var shownAtSecond = Int.min
  private var state = ""

  /// Where nobody watches, the line is repeated only this often, and when its first part changes.
  private static let plainInterval = 5

  /// Shows the live line.
  mutating func live(_ text: String, second: Int) {
    if isTerminal {
      guard text != shown else { return }
      StandardError.write("\r\u{1B}[K\(PrintableText.line(text, columns: StandardError.columns - 1))")
      shown = text
    } else {
      let state = String(text.prefix { $0 != "·" })
      guard state != self.state || second >= shownAtSecond + Self.plainInterval else { return }
      StandardError.write("[demo] \(PrintableText.line(text))\n")
      self.state = state
      shownAtSecond = second
    }
  }

  /// Shows a line that stays, above the live one: what `part` says.
  mutating func note(_ text: String, of part: String = "demo") {
    let line = "[\(part)] \(PrintableText.line(text))"
    StandardError.write(isTerminal ? "\r\u{1B}[K\(line)\n\(shown)" : line + "\n")
  }

  /// Leaves the line empty.
  mutating func end() {
    if isTerminal { StandardError.write("\r\u{1B}[K") }
    shown = ""
  }
}
