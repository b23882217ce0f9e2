import ArgumentParser
import Documents
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health blood-pressure`: measurements that other programs saved.
struct BloodPressureCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "blood-pressure", abstract: "Show measurements of blood pressure.",
    usage: "sensord health blood-pressure [--from <t>] [--to <t>] [options]",
    discussion: """
      Systolic and diastolic in mmHg. A measurement is one object with two values:
      they are saved and deleted together. The average is that of the last seven
      days. sensord measures no blood pressure: other programs save it.

        sensord health blood-pressure
        sensord health blood-pressure --from 2026-11-01 --json
      """)

  @Option(help: ArgumentHelp("Leave out what was measured before.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what was measured then or later.", valueName: "t"))
  var to: String?

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let zone = try ZoneChoice.rules(named: nil, environment: .current)
    let from = try from.map { try MomentText.moment($0, in: zone, option: "--from") }
    let to = try to.map { try MomentText.moment($0, in: zone, option: "--to") }
    if let from, let to, from > to { throw CommandFailure(.usage, "--from is after --to") }
    let entries = try list.read { store async throws -> [BloodPressureEntry] in
      guard let store else { return [] }
      return try await Self.entries(from: from, to: to, store)
    }
    // The mean of a part of the week would look like that of the whole week.
    let now = from == nil && to == nil ? Timestamp(microseconds: LocalTime.now()) : nil
    return Listing(
      entries, json: \.json,
      absence: "There is no blood pressure. Other programs save it; see Documentation/clients.md.\n"
    ) { Self.table($0, weekBefore: now, columns: $1) }
  }

  @concurrent private static func entries(
    from: Timestamp?, to: Timestamp?, _ store: HealthStore
  ) async throws -> [BloodPressureEntry] {
    let time = SamplePredicate.time(from: from, to: to)
    let samples = try await SampleQuery(.and([.type(.correlation(.bloodPressure)), time])).result(for: store).value
    var entries: [BloodPressureEntry] = []
    for sample in samples {
      let parts = try await SampleQuery(.part(of: sample.id)).result(for: store).value
      entries.append(BloodPressureEntry(sample, parts: parts))
    }
    return entries
  }
}

/// The rows of `sensord health blood-pressure`.
extension BloodPressureCommand {
  /// A row for each measurement, and the mean of the seven days before `end`.
  private static func table(_ entries: [BloodPressureEntry], weekBefore end: Timestamp?, columns: Int) -> String {
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
