import Documents
import HealthModel

/// Values over time as a picture: a line within each stretch, and never from one to the next; gaps are shaded.
///
/// Of more values than it has columns it draws, for each column, the first, the smallest, the greatest and the last: on a screen
/// the same line, in a file whose size does not depend on how long the recording is.
struct CurvePlot {
  static let width = 960.0
  static let height = 300.0
  /// The corners of the area that has the values.
  static let left = 56.0
  static let right = 948.0
  static let top = 14.0
  static let bottom = 268.0

  /// A moment that has a line of its own.
  struct Moment {
    var time: Timestamp
    var label: String
  }

  /// A value that has a line of its own.
  struct Level {
    var value: Double
    var label: String
  }

  /// The title of the picture; a description of the values is added to it.
  var title: String
  var unit: String
  var stretches: [[RecordedCurves.Point]]
  var gaps: [RecordingGap]
  var pauses: [TimeSpan] = []
  var moments: [Moment] = []
  var levels: [Level] = []
  /// The times of received values that are not drawn.
  var doubts: [Timestamp] = []
  private let time: TimeScale
  private let zone: TimeZoneRules

  init(
    _ title: String, unit: String, _ stretches: [[RecordedCurves.Point]], of curves: RecordedCurves,
    in zone: TimeZoneRules
  ) {
    self.title = title
    self.unit = unit
    self.stretches = stretches
    self.zone = zone
    gaps = curves.gaps
    time = TimeScale(curves.span, in: zone, from: Self.left, to: Self.right)
  }

  private var count: Int { stretches.reduce(0) { $0 + $1.count } }

  /// The figure: the picture, its description in words, and a table of the values.
  func markup(_ identifier: String) -> String {
    let values = stretches.joined().map(\.value)
    guard let low = values.min(), let high = values.max() else { return "" }
    let scale = PlotScale(low, high, from: Self.bottom, to: Self.top)
    let (path, drawn) = path(scale)
    let mean = values.reduce(0, +) / Double(values.count)
    let numbers = "\(number(low)) to \(number(high)) \(unit), on average \(number(mean))"
    let description =
      "From \(TimeScale.clock(time.span.start, in: zone)) to \(TimeScale.clock(time.span.end, in: zone)): \(numbers). "
      + (gaps.isEmpty ? "No gaps." : "\(gaps.count) gap\(gaps.count == 1 ? "" : "s"), shaded; no line crosses them.")
    let column = Double(time.span.microseconds) / (Self.right - Self.left) / 1e6
    let density =
      drawn == count
      ? "All \(count) values are drawn."
      : "Drawn are \(drawn) of \(count) values: of each \(FixedPoint.text(column, digits: 1)) s, which is a column of the "
        + "picture, the first, the smallest, the greatest and the last."
    let picture = Markup.picture(
      identifier, width: Self.width, height: Self.height, title: title, description: description,
      shades + grid(scale) + marks(scale) + "<path class=\"curve\" d=\"\(path)\"/>\n")
    return """
      <figure>
      \(picture)<figcaption>\(Markup.escaped("\(title). \(description) \(density)"))</figcaption>
      <details><summary>Table: \(Markup.escaped(title))</summary>
      \(slices.markup(caption: "\(title) by time, in \(unit)"))</details>
      </figure>

      """
  }

  private func number(_ value: Double) -> String { FixedPoint.text(value, digits: 0) }

  /// The line, and the number of its values.
  func path(_ scale: PlotScale) -> (text: String, drawn: Int) {
    var text = ""
    var drawn = 0
    for stretch in stretches {
      let points = thinned(stretch)
      drawn += points.count
      for (index, point) in points.enumerated() {
        text += index == 0 ? "M" : index == 1 ? "L" : " "
        text += "\(Markup.number(time.position(point.time))) \(Markup.number(scale.position(point.value)))"
      }
      // A value between two gaps is a dot.
      if points.count == 1 { text += "h0" }
    }
    return (text, drawn)
  }

  /// The points of a stretch, at most four in a column.
  private func thinned(_ stretch: [RecordedCurves.Point]) -> [RecordedCurves.Point] {
    var kept: [RecordedCurves.Point] = []
    var start = 0
    while start < stretch.count {
      let column = Int(time.position(stretch[start].time))
      var end = start + 1
      var (least, greatest) = (start, start)
      while end < stretch.count, Int(time.position(stretch[end].time)) == column {
        if stretch[end].value < stretch[least].value { least = end }
        if stretch[end].value > stretch[greatest].value { greatest = end }
        end += 1
      }
      for index in Set([start, least, greatest, end - 1]).sorted() { kept.append(stretch[index]) }
      start = end
    }
    return kept
  }

  /// Gaps and pauses, as areas. Areas less than a unit apart are joined.
  private var shades: String {
    func areas(_ kind: String, _ spans: [(Timestamp, Timestamp)]) -> String {
      var areas: [(start: Double, end: Double)] = []
      for (start, end) in spans {
        let (from, to) = (time.position(start), max(time.position(end), time.position(start) + 1.5))
        if let last = areas.last, from - last.end < 1 {
          areas[areas.count - 1].end = max(last.end, to)
        } else {
          areas.append((from, to))
        }
      }
      return areas.map { area in
        "<rect class=\"\(kind)\" x=\"\(Markup.number(area.start))\" y=\"\(Markup.number(Self.top))\" "
          + "width=\"\(Markup.number(area.end - area.start))\" height=\"\(Markup.number(Self.bottom - Self.top))\"/>\n"
      }.joined()
    }
    return areas("pause", pauses.map { ($0.start, $0.end) }) + areas("gap", gaps.map { ($0.start, $0.end) })
  }

  private func grid(_ scale: PlotScale) -> String {
    var text = ""
    for mark in scale.marks {
      let y = scale.position(mark)
      text += Markup.line("grid", Self.left, y, Self.right, y)
      text += Markup.text(number(mark), x: Self.left - 8, y: y + 4, anchor: "end")
    }
    for mark in time.marks {
      let x = time.position(mark.time)
      text += Markup.line("grid", x, Self.bottom, x, Self.bottom + 5)
      text += Markup.text(mark.label, x: x, y: Self.bottom + 20)
    }
    return text
  }

  private func marks(_ scale: PlotScale) -> String {
    var text = ""
    for level in levels where (scale.low...scale.high).contains(level.value) {
      let y = scale.position(level.value)
      text += Markup.line("level", Self.left, y, Self.right, y)
      text += Markup.text(level.label, x: Self.right - 4, y: y - 3, anchor: "end")
    }
    for moment in moments where moment.time >= time.span.start && moment.time <= time.span.end {
      let x = time.position(moment.time)
      text += Markup.line("moment", x, Self.top, x, Self.bottom)
      text += Markup.text(moment.label, x: x, y: Self.top - 3)
    }
    let columns = Set(doubts.map { Int(time.position($0) * 2) }).sorted()
    guard !columns.isEmpty else { return text }
    let ticks = columns.map { "M\(Markup.number(Double($0) / 2)) \(Markup.number(Self.bottom))v-8" }.joined()
    return text + "<path class=\"doubt\" d=\"\(ticks)\"/>\n"
  }

  /// The table for a reader who does not see the picture: some thirty parts of the time.
  private var slices: TextTable {
    let steps: [Int64] = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600]
    let seconds = time.span.microseconds / 1_000_000
    let step = (steps.first { seconds / $0 < 40 } ?? max(1, seconds / 24)) * 1_000_000
    var table = TextTable([
      .init("From"), .init("Values", .right), .init("Average", .right), .init("Smallest", .right),
      .init("Greatest", .right),
    ])
    var parts: [Int64: [Double]] = [:]
    for point in stretches.joined() {
      parts[point.time.microseconds(since: time.span.start) / step, default: []].append(point.value)
    }
    for part in 0...(time.span.microseconds / step) {
      let values = parts[part] ?? []
      // The end alone is no part.
      if values.isEmpty, part * step == time.span.microseconds, part > 0 { continue }
      let cells =
        values.isEmpty
        ? ["", "", ""]
        : [values.reduce(0, +) / Double(values.count), values.min() ?? 0, values.max() ?? 0].map { number($0) }
      let start = time.span.start.advanced(byMicroseconds: part * step)
      table.add([TimeScale.clock(start, in: zone), "\(values.count)"] + cells)
    }
    return table
  }
}

/// The positions of a range's values on an axis, and the values that have a mark.
struct PlotScale: Hashable {
  let low: Double
  let high: Double
  /// The coordinates of the lowest and the greatest value.
  let start: Double
  let end: Double
  /// Round values within the range.
  let marks: [Double]

  /// The range is widened to fifths of the steps between marks, of which there are six or fewer.
  init(_ low: Double, _ high: Double, from start: Double, to end: Double) {
    let range = max(high - low, 1)
    var step = 1.0
    // 1, 2, 5, 10, 20 …
    var factors = [2.0, 2.5, 2.0]
    while range / step > 6 {
      step *= factors[0]
      factors.append(factors.removeFirst())
    }
    let fine = step / 5
    self.low = (low / fine).rounded(.down) * fine
    self.high = max((high / fine).rounded(.up) * fine, self.low + step)
    self.start = start
    self.end = end
    let (first, last) = ((self.low / step).rounded(.up), (self.high / step).rounded(.down))
    marks = stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// The coordinate of a value.
  func position(_ value: Double) -> Double { start + (value - low) / (high - low) * (end - start) }
}

/// The same for time; its marks are whole minutes or hours of the clocks on the wall.
struct TimeScale {
  let span: TimeSpan
  let start: Double
  let end: Double
  let marks: [(time: Timestamp, label: String)]

  private static let steps: [Int64] = [
    1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
  ]

  init(_ span: TimeSpan, in zone: TimeZoneRules, from start: Double, to end: Double) {
    self.span = span
    self.start = start
    self.end = end
    let seconds = span.microseconds / 1_000_000
    let step = (Self.steps.first { seconds / $0 < 9 } ?? (seconds / 8)) * 1_000_000
    var marks: [(time: Timestamp, label: String)] = []
    var time = span.start
    // To the first round time on the clocks, then from one to the next.
    let passed = zone.wallClock(at: time) % step
    var way = passed > 0 ? step - passed : -passed
    while true {
      // A session of a foreign store may begin or end at the limits of the type.
      let (next, isBeyond) = time.microseconds.addingReportingOverflow(way)
      guard !isBeyond, next <= span.end.microseconds else { break }
      time = Timestamp(microseconds: next)
      marks.append((time, Self.clock(time, in: zone, seconds: step < 60_000_000)))
      way = step
    }
    self.marks = marks
  }

  /// The coordinate of a moment.
  func position(_ time: Timestamp) -> Double {
    start + Double(time.microseconds(since: span.start)) / Double(max(1, span.microseconds)) * (end - start)
  }

  /// `14:03`, or `14:03:05`.
  static func clock(_ time: Timestamp, in zone: TimeZoneRules, seconds: Bool = true) -> String {
    let text = Timestamp(microseconds: zone.wallClock(at: time)).iso8601(fractionDigits: 0)
    return String(text.dropFirst(11).prefix(seconds ? 8 : 5))
  }
}
