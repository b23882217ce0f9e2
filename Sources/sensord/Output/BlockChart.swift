internal import Documents
internal import HealthModel

/// Values over time in block characters: each column from the smallest to the greatest value of its time. Where nothing was
/// recorded the column is blank, and the line below it is dotted.
struct BlockChart {
  /// The title: of intervals where the session has some, else of rates.
  private let title: String
  private let stretches: [[RecordedCurves.Point]]
  private let curves: RecordedCurves

  private static let rows = 8
  /// Half blocks: two levels in a row.
  private static let levels = 2 * rows

  init(_ curves: RecordedCurves) {
    self.curves = curves
    let hasIntervals = !curves.intervals.isEmpty
    title = hasIntervals ? "RR intervals in ms" : "Heart rate in beats a minute (no RR intervals)"
    stretches = hasIntervals ? curves.intervals : curves.rates
  }

  /// The picture; empty without values.
  func text(columns: Int) -> String {
    let values = stretches.joined()
    guard let least = values.map(\.value).min(), let greatest = values.map(\.value).max() else { return "" }
    let (low, high) = (least.rounded(.down), max(greatest.rounded(.up), least.rounded(.down) + 1))
    let labels = ["\(Int(high))", "\(Int(low))"]
    let margin = (labels.map(\.count).max() ?? 0) + 2
    let width = max(8, min(columns, 200) - margin)
    var ranges = [ClosedRange<Int>?](repeating: nil, count: width)
    for point in values {
      let level = min(Self.levels - 1, Int((point.value - low) / (high - low) * Double(Self.levels)))
      let column = column(of: point.time, width)
      ranges[column] = ranges[column].map { min($0.lowerBound, level)...max($0.upperBound, level) } ?? level...level
    }
    var text =
      title + ", smallest to greatest of \(Self.length(of: curves.span.microseconds / Int64(width))) a column\n"
    for row in (0..<Self.rows).reversed() {
      let label = row == Self.rows - 1 ? labels[0] : row == 0 ? labels[1] : ""
      let line = String(repeating: " ", count: margin - 2 - label.count) + label + (label.isEmpty ? " │" : " ┤")
      text += Self.trimmed(line + String(ranges.map { Self.block($0, row) })) + "\n"
    }
    text += String(repeating: " ", count: margin - 1) + "└" + String(axis(width)) + "\n"
    let (start, end) = (
      LocalTime.timeOfDay(curves.span.start.microseconds), LocalTime.timeOfDay(curves.span.end.microseconds)
    )
    let space = String(repeating: " ", count: max(1, width - start.count - end.count))
    text += String(repeating: " ", count: margin) + start + space + end + "\n"
    return text + notes
  }

  private func column(of time: Timestamp, _ width: Int) -> Int {
    let length = max(1, curves.span.microseconds)
    let share = Double(time.microseconds(since: curves.span.start)) / Double(length)
    return max(0, min(width - 1, Int(share * Double(width))))
  }

  private func axis(_ width: Int) -> [Character] {
    var axis = [Character](repeating: "─", count: width)
    for gap in curves.gaps {
      for column in column(of: gap.start, width)...column(of: gap.end, width) { axis[column] = "·" }
    }
    return axis
  }

  private var notes: String {
    var notes: [String] = []
    if !curves.gaps.isEmpty { notes.append("··· gaps") }
    if !curves.intervals.isEmpty, !curves.doubts.isEmpty {
      notes.append("\(curves.doubts.count) intervals after gaps or with flags are not drawn")
    }
    return notes.isEmpty ? "" : notes.joined(separator: "; ") + "\n"
  }

  private static func block(_ range: ClosedRange<Int>?, _ row: Int) -> Character {
    guard let range else { return " " }
    return switch (range.contains(2 * row), range.contains(2 * row + 1)) {
    case (true, true): "█"
    case (true, false): "▄"
    case (false, true): "▀"
    case (false, false): " "
    }
  }

  private static func length(of microseconds: Int64) -> String {
    microseconds < 10_000_000
      ? "\(FixedPoint.text(Double(microseconds) / 1e6, digits: 1)) s" : DurationText.text(microseconds: microseconds)
  }

  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
