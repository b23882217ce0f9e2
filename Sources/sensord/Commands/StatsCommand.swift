internal import Documents
internal import Recordings
internal import ArgumentParser
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord stats TYPE --every INTERVAL`: figures of a quantity type, one row for each stretch of the calendar.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Sum up a quantity by hours, days, weeks …",
    usage: "sensord stats <type> --every <interval> [--from <t>] [--to <t>] [options]",
    discussion: """
      Days, weeks, months and years go by the clocks of the zone, so a day may have
      23 or 25 hours; weeks begin on Monday. Sources are merged: the one whose
      first sample is the oldest in the store speaks for the time it covers, the
      others fill its gaps. A session that is still being recorded is not counted.
      Values without a duration, as a strap's rates are, all weigh the same.

        sensord stats heartRate --every 1d --from 2026-11-01
        sensord stats heartRate --every 15m --zone Asia/Kolkata --json
      """)

  @Argument(help: "What to sum up: heartRate, heartRateVariabilitySDNN, stepCount …")
  var type: String

  @Option(help: ArgumentHelp("The length of a row: 15m, 1h, 1d, 1w, 1mo, 1y.", valueName: "interval"))
  var every: String

  @Option(help: ArgumentHelp("From the row that holds this time.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("To before this time.", valueName: "t"))
  var to: String?

  @Option(help: ArgumentHelp("A zone of tzdata instead of the machine's own.", valueName: "name"))
  var zone: String?

  @Flag(help: "Each source by itself instead of merged.")
  var bySource = false

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the rows as JSON, times in UTC, durations in seconds.")
  var json = false

  mutating func run() throws {
    let quantity = try Self.quantityType(type)
    let interval = try CalendarInterval(parsing: every)
    let zone = try ZoneChoice.rules(named: zone, environment: .current)
    let from = try from.map { try MomentText.moment($0, in: zone, option: "--from") }
    let to = try to.map { try MomentText.moment($0, in: zone, option: "--to") }
    if let from, let to, to <= from { throw StatisticsError.emptyRange }
    var options = StatisticsOptions.all(for: quantity)
    if bySource { options.insert(.separateBySource) }
    let query = try StatisticsCollectionQuery(
      quantity, options, buckets: .natural(interval, zone: zone), from: from, to: to)
    let reader = try store.openToRead()
    let statistics = try CommandLoop.run { () async throws -> [Statistics] in
      guard let reader else { return [] }
      do throws(StoreError) {
        return try await query.result(for: reader).value
      } catch  where error.code == .invalid {
        throw CommandFailure(.usage, error.message)
      }
    }
    if json {
      try StandardOutput.write(JSONValue.lines(statistics.map { $0.json }))
    } else if statistics.allSatisfy({ $0.count == 0 }) {
      StandardError.write(
        "There is no \(quantity.identifier) in that time. 'sensord sessions' lists what was recorded.\n")
    } else {
      let table = StatisticsTable(statistics, of: quantity, every: interval, in: zone)
      try StandardOutput.write(table.rendered(columns: StandardOutput.columns))
    }
  }

  private static func quantityType(_ name: String) throws -> QuantityType {
    guard name != SampleType.heartbeatSeries.identifier else {
      throw CommandFailure(.usage, "heartbeatSeries holds beats, which have no figures of this kind")
    }
    do throws(StatisticsError) {
      return try QuantityTypeRegistry.standard.type(named: name)
    } catch {
      guard case .unknownType(_, nearest: []) = error else { throw error }
      throw CommandFailure(
        .usage, "\(error)", remedy: "there are \(QuantityType.all.map(\.identifier).joined(separator: ", "))")
    }
  }
}
