internal import Documents

/// Pieces of a page that is HTML and well-formed XML at once.
enum Markup {
  /// `text` as the content of an element or attribute: nothing in it is markup, and nothing steers the reader's browser.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in PrintableText.line(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A coordinate, to a tenth of the smallest thing that is drawn.
  static func number(_ value: Double) -> String {
    let text = FixedPoint.text(value, digits: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A picture that a screen reader can name and describe.
  static func picture(
    _ identifier: String, width: Double, height: Double, title: String, description: String, _ content: String
  ) -> String {
    """
    <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-labelledby="\(identifier)-t \(identifier)-d">
    <title id="\(identifier)-t">\(escaped(title))</title><desc id="\(identifier)-d">\(escaped(description))</desc>
    \(content)</svg>

    """
  }

  static func text(_ text: String, x: Double, y: Double, anchor: String = "middle") -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped(text))</text>\n"
  }

  static func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    "<path class=\"\(kind)\" d=\"M\(number(x1)) \(number(y1))L\(number(x2)) \(number(y2))\"/>\n"
  }
}

extension TextTable {
  /// As a table of a page; a screen reader knows the heading of each cell.
  func markup(caption: String) -> String {
    func cell(_ text: String, _ column: Column) -> String {
      "<td\(column.alignment == .right ? " class=\"n\"" : "")>\(Markup.escaped(text))</td>"
    }
    let heading = columns.map {
      "<th scope=\"col\"\($0.alignment == .right ? " class=\"n\"" : "")>\(Markup.escaped($0.title))</th>"
    }
    let body = rows.map { row in "<tr>" + zip(row, columns).map { cell($0, $1) }.joined() + "</tr>\n" }
    return """
      <table><caption>\(Markup.escaped(caption))</caption>
      <thead><tr>\(heading.joined())</tr></thead>
      <tbody>
      \(body.joined())</tbody></table>

      """
  }
}
