internal import Documents

/// Each interval against the one before it.
///
/// A field of the picture is drawn once, the darker the more pairs lie in it: its size does not depend on how many there are.
struct PoincarePlot {
  static let width = 480.0
  static let height = 470.0
  static let left = 56.0
  static let right = 456.0
  static let top = 14.0
  static let bottom = 414.0
  /// The edge of a field.
  private static let field = 2.0

  let pairs: [RecordedCurves.Pair]

  /// The figure; empty without pairs. `figures` has SD1 and SD2, or the reason why they are not given.
  func markup(_ identifier: String, figures: String) -> String {
    let values = pairs.flatMap { [$0.first, $0.second] }
    guard let low = values.min(), let high = values.max() else { return "" }
    let x = PlotScale(low, high, from: Self.left, to: Self.right)
    let y = PlotScale(low, high, from: Self.bottom, to: Self.top)
    let title = "Poincaré plot"
    let description =
      "\(pairs.count) pairs of successive intervals of \(Self.number(low)) to \(Self.number(high)) ms: the interval across, "
      + "the one after it upwards. No pair crosses a gap. \(figures)"
    let picture = Markup.picture(
      identifier, width: Self.width, height: Self.height, title: title, description: description,
      grid(x, y) + Markup.line("level", Self.left, Self.bottom, Self.right, Self.top) + fields(x, y)
        + Markup.text("interval in ms", x: (Self.left + Self.right) / 2, y: Self.bottom + 42))
    return """
      <figure class="square">
      \(picture)<figcaption>\(Markup.escaped("\(title). \(description)"))</figcaption>
      </figure>

      """
  }

  private static func number(_ value: Double) -> String { FixedPoint.text(value, digits: 0) }

  private func grid(_ x: PlotScale, _ y: PlotScale) -> String {
    var text = ""
    for mark in y.marks {
      text += Markup.line("grid", Self.left, y.position(mark), Self.right, y.position(mark))
      text += Markup.text(Self.number(mark), x: Self.left - 8, y: y.position(mark) + 4, anchor: "end")
      text += Markup.line("grid", x.position(mark), Self.bottom, x.position(mark), Self.bottom + 5)
      text += Markup.text(Self.number(mark), x: x.position(mark), y: Self.bottom + 20)
    }
    return text
  }

  /// One path for fields with one pair, one for some, one for many.
  private func fields(_ x: PlotScale, _ y: PlotScale) -> String {
    struct Field: Hashable {
      var column: Int
      var row: Int
    }
    var counts: [Field: Int] = [:]
    for pair in pairs {
      let column = Int((x.position(pair.first) - Self.left) / Self.field)
      let row = Int((Self.bottom - y.position(pair.second)) / Self.field)
      counts[Field(column: column, row: row), default: 0] += 1
    }
    let classes: [(name: String, range: ClosedRange<Int>)] = [("few", 1...1), ("some", 2...4), ("many", 5...(.max))]
    return classes.map { name, range in
      let fields = counts.filter { range.contains($0.value) }.keys.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
      guard !fields.isEmpty else { return "" }
      let text = fields.map { field in
        "M\(Markup.number(Self.left + Double(field.column) * Self.field)) "
          + "\(Markup.number(Self.bottom - (Double(field.row) + 0.5) * Self.field))h2"
      }
      return "<path class=\"pairs \(name)\" d=\"\(text.joined())\"/>\n"
    }.joined()
  }
}
