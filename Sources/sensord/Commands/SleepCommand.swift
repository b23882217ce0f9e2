internal import ArgumentParser
internal import Documents
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord sleep [NIGHT]`: nights and naps that other programs saved.
struct SleepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sleep", abstract: "Show nights and naps, and their stages.",
    usage: """
      sensord sleep [--from <day>] [--to <day>] [options]
             sensord sleep <night> [options]
      """,
    discussion: """
      A night is named by the day on which it ends, or last; a day of sleep ends at
      18:00. Where several programs tell of one moment, the one that tells stages of
      sleep counts. sensord measures no sleep: other programs save it.

        sensord sleep last
        sensord sleep --from 2026-11-01 --json
      """)

  @Argument(help: "The day on which a night ends, as in 2026-11-21, or last; a list without.")
  var night: String?

  @Option(help: ArgumentHelp("Leave out earlier nights.", valueName: "day"), transform: Self.day)
  var from: CalendarDay?

  @Option(help: ArgumentHelp("Leave out later nights.", valueName: "day"), transform: Self.day)
  var to: CalendarDay?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the nights as JSON.")
  var json = false

  func validate() throws {
    if night != nil, from != nil || to != nil { throw ValidationError("--from and --to do not go with a night") }
    if let from, let to, from.daysSince1970 > to.daysSince1970 { throw ValidationError("--from is after --to") }
    if let night, night != "last" { _ = try Self.day(night) }
  }

  mutating func run() throws {
    let zone = try ZoneChoice.rules(named: nil, environment: .current)
    let reader = try store.openToRead()
    let (name, from, to) = (night, from, to)
    let nights = try CommandLoop.run { () async throws -> [SleepNight] in
      guard let reader else { return [] }
      switch name {
      case nil: return try await Self.nights(from: from, to: to, in: zone, reader)
      case "last": return try await Self.last(in: zone, reader)
      case let name?:
        let day = try Self.day(name)
        return try await Self.nights(from: day, to: day, in: zone, reader)
      }
    }
    if let name, nights.isEmpty { throw Self.missing(name) }
    if json {
      try StandardOutput.write(JSONValue.lines(nights.map(\.json)))
    } else if name != nil {
      for night in nights { try StandardOutput.write(night.text(columns: StandardOutput.columns)) }
    } else if nights.isEmpty {
      StandardError.write("There is no such sleep. Other programs save it; see Documentation/clients.md.\n")
    } else {
      try StandardOutput.write(SleepTable.text(nights, columns: StandardOutput.columns))
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
        .noInput, "there is no sleep of the night to \(name)", remedy: "'sensord sleep' lists the nights")
  }

  private static func day(_ text: String) throws -> CalendarDay {
    guard text.utf8.count == 10, let midnight = Timestamp(iso8601: text) else {
      throw ValidationError("a night is named by the day on which it ends, as in 2026-11-21, or last")
    }
    return CalendarDay(daysSince1970: midnight.microseconds.flooredQuotient(by: 86_400_000_000))
  }
}
