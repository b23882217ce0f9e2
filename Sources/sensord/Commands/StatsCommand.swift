import ArgumentParser
import RecorderBus
import Documents
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord stats TYPE --every INTERVAL`: figures of a quantity type, a row for each interval of the calendar.
struct StatsCommand: ListCommand {
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

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
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
    let statistics = try list.read { store async throws -> [Statistics] in
      guard let store else { return [] }
      do throws(StoreError) {
        return try await query.result(for: store).value
      } catch  where error.code == .invalid {
        throw CommandFailure(.usage, error.message)
      }
    }
    return Listing(
      isEmpty: statistics.allSatisfy { $0.count == 0 }, json: { JSONValue.lines(statistics.map { $0.json }) },
      rows: { StatisticsTable(statistics, of: quantity, every: interval, in: zone).rendered(columns: $0) },
      absence: "There is no \(quantity.identifier) in that time. 'sensord sessions' lists what was recorded.\n")
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

/// Statistics as a person reads them: a heading with type, unit and policy, and a row for each bucket.
struct StatisticsTable {
  private let statistics: [Statistics]
  private let type: QuantityType
  private let interval: CalendarInterval
  private let zone: TimeZoneRules

  init(_ statistics: [Statistics], of type: QuantityType, every interval: CalendarInterval, in zone: TimeZoneRules) {
    self.statistics = statistics
    self.type = type
    self.interval = interval
    self.zone = zone
  }

  /// The heading and the rows; several empty buckets in a row become one line that counts them.
  func rendered(columns: Int) -> String {
    let isBySource = statistics.contains { $0.source != nil }
    var titles: [TextTable.Column] = [.init("Start")]
    if isBySource { titles.append(.init("Source", shrinks: true)) }
    titles.append(.init("Count", .right))
    // The latest value is left out for the source: a cut address does not distinguish straps.
    let figures =
      (type.style.isCumulative ? ["Sum", "Duration"] : ["Average", "Minimum", "Maximum"])
      + (isBySource ? [] : ["Latest"])
    titles += figures.map { .init($0, .right) }
    titles.append(.init("Coverage", .right))
    var table = TextTable(titles)
    var index = 0
    while index < statistics.count {
      let row = statistics[index]
      let run = statistics[index...].prefix { $0.count == 0 && $0.source == row.source }
      let source = isBySource ? [row.source.map(sourceName) ?? ""] : []
      if run.count > 2 {
        table.add(["… \(run.count) empty"] + source + Array(repeating: "", count: figures.count + 2))
        index += run.count
      } else {
        table.add([label(row.start)] + source + ["\(row.count)"] + cells(row, hasLatest: !isBySource))
        index += 1
      }
    }
    return heading(isBySource) + table.rendered(columns: columns)
  }

  /// The name of a source: that of the device where all values come from one program, since its address distinguishes straps.
  private func sourceName(_ source: DataSource) -> String {
    let programs = Set(statistics.compactMap { $0.source?.source })
    return programs.count == 1 ? source.device ?? source.source : source.description
  }

  private func heading(_ isBySource: Bool) -> String {
    var parts = ["\(type.identifier) in \(type.unit)", "every \(interval)", zone.name]
    if !isBySource, statistics.contains(where: { $0.sources.count > 1 }) { parts.append("sources merged") }
    if type.style == .discreteTemporallyWeighted, let policy = statistics.first?.policy {
      parts.append(Self.words(policy))
    }
    return parts.joined(separator: ", ") + "\n"
  }

  private static func words(_ policy: WeightingPolicy) -> String {
    switch policy {
    case .ownDuration: "weighted by own time"
    case .holdLast: "held until the next value"
    case .trapezoid: "straight between values"
    }
  }

  /// The time on the clocks of the zone; the second of two equal readings has its offset.
  private func label(_ start: Timestamp) -> String {
    let wall = zone.wallClock(at: start)
    let text = Timestamp(microseconds: wall).iso8601(fractionDigits: 0)
    let isMidnight = text.hasSuffix("T00:00:00Z")
    let isDay = [.day, .week, .month, .year].contains(interval.unit)
    var label = String(text.prefix(10))
    if !isDay || !isMidnight { label += " " + text.dropFirst(11).prefix(5) }
    guard zone.moment(ofWallClock: wall) != start else { return label }
    let minutes = abs(Int(zone.offset(at: start))) / 60
    let sign = zone.offset(at: start) < 0 ? "-" : "+"
    return "\(label) \(sign)\(Self.twoDigits(minutes / 60))\(Self.twoDigits(minutes % 60))"
  }

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  private func cells(_ row: Statistics, hasLatest: Bool) -> [String] {
    let figures =
      type.style.isCumulative
      ? [number(row.sum), row.duration.map { DurationText.clock(microseconds: $0) } ?? "-"]
      : [number(row.average), number(row.minimum), number(row.maximum)]
    return figures + (hasLatest ? [number(row.mostRecent)] : []) + [
      row.count == 0 ? "-" : "\(FixedPoint.text(row.coverage.fraction * 100, digits: 0)) %"
    ]
  }

  private func number(_ value: Double?) -> String {
    guard let value else { return "-" }
    return FixedPoint.text(value, digits: type.unit == .meter || type.unit == .meterPerSecond ? 2 : 1)
  }
}
