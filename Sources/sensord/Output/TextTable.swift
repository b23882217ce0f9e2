/// Rows in columns for a person, no wider than the terminal.
struct TextTable {
  struct Column {
    enum Alignment { case left, right }

    var title: String
    var alignment: Alignment
    /// A column that gives way where the rows are too wide, the widest first; its texts are cut with `…`.
    var shrinks: Bool

    init(_ title: String, _ alignment: Alignment = .left, shrinks: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.shrinks = shrinks
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []
  private static let separator = "  "
  private static let narrowest = 8

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// True where there is nothing below the heading.
  var isEmpty: Bool { rows.isEmpty }

  /// Adds a row; cells are made printable here, so callers pass names as they are.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { PrintableText.line($0) })
  }

  /// The heading and the rows, each ending in a line feed.
  func rendered(columns limit: Int = 80) -> String {
    var widths = columns.indices.map { index in
      rows.reduce(PrintableText.width(of: columns[index].title)) { max($0, PrintableText.width(of: $1[index])) }
    }
    let elastic = columns.indices.filter { columns[$0].shrinks }
    var excess = widths.reduce(0, +) + Self.separator.count * (columns.count - 1) - limit
    while excess > 0, let widest = elastic.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest {
      widths[widest] -= 1
      excess -= 1
    }
    return ([columns.map(\.title)] + rows).map { line($0, widths: widths) }.joined()
  }

  private func line(_ cells: [String], widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = PrintableText.line(cell, columns: max(widths[index], 1))
      let padding = String(repeating: " ", count: max(0, widths[index] - PrintableText.width(of: text)))
      if index > 0 { line += Self.separator }
      line += columns[index].alignment == .right ? padding + text : text + padding
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}
