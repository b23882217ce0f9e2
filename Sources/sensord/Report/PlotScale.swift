internal import HealthModel

/// Where values of a range stand on an axis, and which of them have a mark.
struct PlotScale: Hashable {
  let low: Double
  let high: Double
  /// The coordinates of both.
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
      // A session of a foreign store may begin or end where time does.
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
