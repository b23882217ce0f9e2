import ArgumentParser
import Documents
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health sleep [NIGHT]`: nights and naps that other programs saved.
struct SleepCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "sleep", abstract: "Show nights and naps, and their stages.",
    usage: """
      sensord health sleep [--from <day>] [--to <day>] [options]
             sensord health sleep <night> [options]
      """,
    discussion: """
      A night is named by the day on which it ends, or last; a day of sleep ends at
      18:00. Where several programs tell of one moment, the one that tells stages of
      sleep counts. sensord measures no sleep: other programs save it.

        sensord health sleep last
        sensord health sleep --from 2026-11-01 --json
      """)

  @Argument(help: "The day on which a night ends, as in 2026-11-21, or last; a list without.")
  var night: String?

  @Option(help: ArgumentHelp("Leave out earlier nights.", valueName: "day"), transform: Self.day)
  var from: CalendarDay?

  @Option(help: ArgumentHelp("Leave out later nights.", valueName: "day"), transform: Self.day)
  var to: CalendarDay?

  @OptionGroup var list: ListOptions

  func validate() throws {
    if night != nil, from != nil || to != nil { throw ValidationError("--from and --to do not go with a night") }
    if let from, let to, from.daysSince1970 > to.daysSince1970 { throw ValidationError("--from is after --to") }
    if let night, night != "last" { _ = try Self.day(night) }
  }

  func listing() throws -> Listing {
    let zone = try ZoneChoice.rules(named: nil, environment: .current)
    let (name, from, to) = (night, from, to)
    let nights = try list.read { store async throws -> [SleepNight] in
      guard let store else { return [] }
      switch name {
      case nil: return try await Self.nights(from: from, to: to, in: zone, store)
      case "last": return try await Self.last(in: zone, store)
      case let name?:
        let day = try Self.day(name)
        return try await Self.nights(from: day, to: day, in: zone, store)
      }
    }
    if let name, nights.isEmpty { throw Self.missing(name) }
    return Listing(
      nights, json: \.json, absence: "There is no such sleep. Other programs save it; see Documentation/clients.md.\n"
    ) { nights, columns in
      name == nil ? Self.table(nights, columns: columns) : nights.map { $0.text(columns: columns) }.joined()
    }
  }

  private static let sleep = SamplePredicate.type(.category(.sleepAnalysis))

  /// The nights that lead to these days.
  @concurrent private static func nights(
    from: CalendarDay?, to: CalendarDay?, in zone: TimeZoneRules, _ store: HealthStore
  ) async throws -> [SleepNight] {
    // A period that reaches beyond is needed as a whole. No stretch of sleep lasts a day; starts alone are found by the index.
    func moment(_ day: CalendarDay?, plus days: Int64) -> Timestamp? {
      day.map { zone.moment(ofWallClock: ($0.daysSince1970 + days).multipliedSaturated(by: 86_400_000_000)) }
    }
    let time = SamplePredicate.time(from: moment(from, plus: -3), to: moment(to, plus: 2), strictness: .start)
    let samples = try await SampleQuery(.and([sleep, time])).result(for: store).value
    return SleepNight.nights(of: samples.compactMap(SleepInterval.init), in: zone).filter { night in
      let day = night.day.daysSince1970
      return day >= from?.daysSince1970 ?? .min && day <= to?.daysSince1970 ?? .max
    }
  }

  @concurrent private static func last(in zone: TimeZoneRules, _ store: HealthStore) async throws -> [SleepNight] {
    let newest = SampleQuery(sleep, order: [.init(.end, isDescending: true)], limit: 1)
    guard let end = try await newest.result(for: store).value.first?.end else { return [] }
    let day = CalendarDay(daysSince1970: zone.wallClock(at: end).flooredQuotient(by: 86_400_000_000))
    return try await nights(from: day, to: nil, in: zone, store).suffix(1)
  }

  private static func missing(_ name: String) -> CommandFailure {
    name == "last"
      ? CommandFailure(.noInput, "no sleep is stored", remedy: "other programs save it; see Documentation/clients.md")
      : CommandFailure(
        .noInput, "there is no sleep of the night to \(name)", remedy: "'sensord health sleep' lists the nights")
  }

  private static func day(_ text: String) throws -> CalendarDay {
    guard text.utf8.count == 10, let midnight = Timestamp(iso8601: text) else {
      throw ValidationError("a night is named by the day on which it ends, as in 2026-11-21, or last")
    }
    return CalendarDay(daysSince1970: midnight.microseconds.flooredQuotient(by: 86_400_000_000))
  }
}

/// The rows of `sensord health sleep`: nights, and naps below them.
extension SleepCommand {
  private static func table(_ nights: [SleepNight], columns: Int) -> String {
    var table = TextTable([
      .init("Night to"), .init("In bed"), .init("Asleep", .right), .init("Core", .right), .init("Deep", .right),
      .init("REM", .right), .init("Awake", .right), .init("Eff.", .right),
    ])
    for night in nights {
      for period in night.periods {
        table.add([
          period == night.main ? night.dayText : "  nap", period.clockTimes, clock(period.timeAsleep),
          stage(.asleepCore, period), stage(.asleepDeep, period), stage(.asleepREM, period),
          period.efficiency == nil ? "" : clock(period.wakeAfterOnset), period.efficiencyText ?? "",
        ])
      }
    }
    return table.rendered(columns: columns)
  }

  private static func stage(_ value: CategoryValue, _ period: SleepPeriod) -> String {
    let duration = period.duration(of: [value])
    return duration > .zero ? clock(duration) : ""
  }

  private static func clock(_ duration: Duration) -> String {
    DurationText.hours(microseconds: duration.wholeMicroseconds)
  }
}

extension SleepPeriod {
  /// `22:58–06:41`, by the machine's clocks.
  var clockTimes: String {
    "\(LocalTime.timeOfDay(span.start.microseconds).prefix(5))–\(LocalTime.timeOfDay(span.end.microseconds).prefix(5))"
  }

  /// The part of the time in bed: `91 %`; nil where the time in bed is not known.
  var efficiencyText: String? { efficiency.map { "\(FixedPoint.text($0 * 100, digits: 0)) %" } }
}

extension SleepNight {
  /// The night for a person: a picture of its stages, its figures, and its naps.
  func text(columns: Int) -> String {
    guard let main else { return "" }
    let title = "Night to \(dayText)\n\n"
    var text = title + Hypnogram(main).text(columns: columns) + "\n" + main.figures
    for nap in periods where nap != main {
      let length = DurationText.text(microseconds: nap.timeAsleep.wholeMicroseconds)
      text += Self.row("Nap", "\(nap.clockTimes), \(length) asleep")
    }
    return text
  }

  fileprivate static func row(_ name: String, _ value: String) -> String {
    name + String(repeating: " ", count: max(1, 14 - name.count)) + value + "\n"
  }
}

extension SleepPeriod {
  fileprivate var figures: String {
    let asleep = Self.text(timeAsleep)
    guard let efficiencyText else { return SleepNight.row("Asleep", "\(clockTimes), \(asleep)") + stages }
    return SleepNight.row("In bed", "\(clockTimes), \(Self.text(timeInBed))")
      + SleepNight.row("Asleep", "\(asleep), \(efficiencyText) of the time in bed") + stages
  }

  private var stages: String {
    var rows = ""
    for (name, value) in [("Core", CategoryValue.asleepCore), ("Deep", .asleepDeep), ("REM", .asleepREM)] {
      let duration = duration(of: [value])
      if duration > .zero { rows += SleepNight.row("  \(name)", Self.text(duration)) }
    }
    if awakenings > 0 {
      let times = awakenings == 1 ? "once" : "\(awakenings) times"
      rows += SleepNight.row("Awake", "\(times) in between, \(Self.text(wakeAfterOnset))")
    }
    if let latency { rows += SleepNight.row("Fell asleep", "after \(Self.text(latency))") }
    return rows + SleepNight.row("Told by", sources.map { PrintableText.line("\($0)") }.joined(separator: ", "))
  }

  private static func text(_ duration: Duration) -> String {
    DurationText.text(microseconds: duration.wholeMicroseconds)
  }
}

/// The stages of a night over time, as sleep laboratories draw them: a row for each, waking above and deep sleep below. Each
/// column shows the stage of most of its time, the upper one of two equally long; a column without a stage is blank.
struct Hypnogram {
  private let period: SleepPeriod

  /// The rows from the top.
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

  /// The longest stage of each column.
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
