internal import Documents
internal import HealthModel

/// The rows of `sensord blood-pressure`.
enum BloodPressureTable {
  /// A row for each measurement, and the mean of the seven days before `end`.
  static func text(_ entries: [BloodPressureEntry], weekBefore end: Timestamp?, columns: Int) -> String {
    var table = TextTable([
      .init("Measured"), .init("Systolic", .right), .init("Diastolic", .right), .init("Source", shrinks: true),
    ])
    for entry in entries {
      table.add([
        LocalTime.minute(entry.sample.start.microseconds), whole(entry.systolic), whole(entry.diastolic),
        entry.sample.source.identifier,
      ])
    }
    guard let end else { return table.rendered(columns: columns) }
    let week = end.advanced(byMicroseconds: -7 * 86_400_000_000)
    let recent = entries.filter { $0.sample.start > week && $0.sample.start <= end }
    guard let systolic = mean(recent.compactMap(\.systolic)), let diastolic = mean(recent.compactMap(\.diastolic))
    else {
      return table.rendered(columns: columns)
    }
    let count = recent.count == 1 ? "1 measurement" : "\(recent.count) measurements"
    return table.rendered(columns: columns)
      + "\nLast seven days: \(whole(systolic))/\(whole(diastolic)) mmHg, the mean of \(count)\n"
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  private static func whole(_ value: Double?) -> String { value.map { FixedPoint.text($0, digits: 0) } ?? "–" }
}
