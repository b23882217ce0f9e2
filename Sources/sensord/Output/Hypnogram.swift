internal import HealthModel

/// The stages of a night over time, as sleep laboratories draw them: a row for each, waking above and deep sleep below. Each column shows
/// what counts for most of its time, the upper one of two that count equally; where nobody says anything it is blank.
struct Hypnogram {
  private let period: SleepPeriod

  /// From the top.
  private static let rows: [(name: String, value: CategoryValue)] = [
    ("In bed", .inBed), ("Awake", .awake), ("Asleep", .asleepUnspecified), ("REM", .asleepREM), ("Core", .asleepCore),
    ("Deep", .asleepDeep),
  ]
  private static let margin = 8

  init(_ period: SleepPeriod) {
    self.period = period
  }

  /// The picture; rows of values that do not occur are left out.
  func text(columns: Int) -> String {
    let width = max(16, min(columns, 80) - Self.margin)
    let values = values(width)
    var text = ""
    for row in Self.rows where period.stretches.contains(where: { $0.value == row.value }) {
      var line = String(repeating: " ", count: Self.margin - 2 - row.name.count) + row.name + " │"
      line += String(values.map { $0 == row.value ? "█" : " " })
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    text += String(repeating: " ", count: Self.margin - 1) + "└" + String(repeating: "─", count: width) + "\n"
    let (start, end) = (clock(period.span.start), clock(period.span.end))
    let space = String(repeating: " ", count: max(1, width - start.count - end.count))
    return text + String(repeating: " ", count: Self.margin) + start + space + end + "\n"
  }

  private func clock(_ moment: Timestamp) -> String { String(LocalTime.timeOfDay(moment.microseconds).prefix(5)) }

  /// For each column what counts longest in it.
  private func values(_ width: Int) -> [CategoryValue?] {
    let (start, length) = (period.span.start.microseconds, period.span.microseconds)
    var values: [CategoryValue?] = []
    var first = 0
    for column in 0..<width {
      let (left, right) = (
        start + length / Int64(width) * Int64(column),
        column == width - 1 ? period.span.end.microseconds : start + length / Int64(width) * Int64(column + 1)
      )
      while first < period.stretches.count, period.stretches[first].span.end.microseconds <= left { first += 1 }
      var told: [CategoryValue: Int64] = [:]
      for stretch in period.stretches[first...] {
        guard stretch.span.start.microseconds < right else { break }
        told[stretch.value, default: 0] +=
          min(right, stretch.span.end.microseconds) - max(left, stretch.span.start.microseconds)
      }
      let silent = right - left - told.values.reduce(0, +)
      let most = Self.rows.map(\.value).max { told[$0, default: 0] < told[$1, default: 0] }
      values.append(most.flatMap { told[$0, default: 0] > silent ? $0 : nil })
    }
    return values
  }
}
