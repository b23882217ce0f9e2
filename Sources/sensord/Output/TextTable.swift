internal import Documents
import Support

/// Rows in columns for a person, no wider than the terminal.
struct TextTable {
  struct Column {
    enum Alignment { case left, right }

    var title: String
    var alignment: Alignment
    /// Whether the column shrinks where the rows are too wide, the widest column first; texts are cut with `…`.
    var shrinks: Bool

    init(_ title: String, _ alignment: Alignment = .left, shrinks: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.shrinks = shrinks
    }
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []
  private static let separator = "  "
  private static let narrowest = 8

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// True where there is nothing below the heading.
  var isEmpty: Bool { rows.isEmpty }

  /// Adds a row; cells are made printable here, so callers pass names unchanged.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { PrintableText.line($0) })
  }

  /// The widths of the columns.
  struct Layout {
    fileprivate var widths: [Int]
    /// The columns that shrink: longer texts are cut.
    fileprivate var cut: Set<Int> = []
  }

  /// The widths that the rows so far need, no wider than `limit` together as far as the columns can give way.
  func layout(columns limit: Int = 80) -> Layout {
    var layout = Layout(
      widths: columns.indices.map { index in
        rows.reduce(PrintableText.width(of: columns[index].title)) { max($0, PrintableText.width(of: $1[index])) }
      })
    let elastic = columns.indices.filter { columns[$0].shrinks }
    var excess = layout.widths.reduce(0, +) + Self.separator.count * (columns.count - 1) - limit
    while excess > 0, let widest = elastic.max(by: { layout.widths[$0] < layout.widths[$1] }),
      layout.widths[widest] > Self.narrowest
    {
      layout.widths[widest] -= 1
      layout.cut.insert(widest)
      excess -= 1
    }
    return layout
  }

  /// The heading and the rows, each ending in a line feed.
  func rendered(columns limit: Int = 80) -> String {
    rendered(in: layout(columns: limit))
  }

  /// The same in a layout that was worked out before.
  func rendered(in layout: Layout) -> String {
    ([columns.map(\.title)] + rows).map { line($0, layout) }.joined()
  }

  /// A row that follows a table that was written already: a cell that is wider than its column pushes the others
  /// aside, where the column does not give way.
  func line(following cells: [String], in layout: Layout) -> String {
    line(cells.map { PrintableText.line($0) }, layout)
  }

  private func line(_ cells: [String], _ layout: Layout) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let width = layout.widths[index]
      let text = layout.cut.contains(index) ? PrintableText.line(cell, columns: width) : cell
      let padding = String(repeating: " ", count: max(0, width - PrintableText.width(of: text)))
      if index > 0 { line += Self.separator }
      line += columns[index].alignment == .right ? padding + text : text + padding
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}
