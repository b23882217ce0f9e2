internal import Documents
internal import Recordings
internal import ArgumentParser
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord hrv SESSION|last`: heart rate variability of a session, of a part of it, or window by window.
struct VariabilityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrv", abstract: "Show heart rate variability, each figure with its number of values.",
    usage: "sensord hrv <session> [--from <t>] [--to <t>] [--window <t>] [options]",
    discussion: """
      Only intervals between two normal beats count, and no difference is taken
      across a gap. What a record is too short for is not given, with the reason.

        sensord hrv last
        sensord hrv last --window 5m
        sensord hrv 3f2a91bc --from 2026-11-21T06:00:00+01:00 --json
      """)

  @Argument(help: "The first digits of a session's name, or last.")
  var session: String

  @Option(help: ArgumentHelp("Leave out what is before, as in 2026-11-21T06:00.", valueName: "time"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what is after.", valueName: "time"))
  var to: String?

  @Option(
    help: ArgumentHelp("Give the figures of parts of this length: 90s, 5m, 1h.", valueName: "length"),
    transform: Self.microseconds)
  var window: Int64?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the figures as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let name = session
    let from = try moment(from, option: "--from")
    let to = try moment(to, option: "--to")
    if let from, let to, from >= to { throw CommandFailure(.usage, "--from must be before --to") }
    let catalogue = try store.catalogue()
    let (session, beats, alterations) = try CommandLoop.run {
      let (session, beats) = try await catalogue.recording(name)
      return (session, beats, try await catalogue.alterations(of: session.id))
    }
    let span = try span(of: session, from: from, to: to)
    if let window, span.microseconds / window >= Self.mostWindows {
      throw CommandFailure(
        .usage, "that would be more than \(Self.mostWindows) windows", remedy: "use a longer --window or a shorter time"
      )
    }
    let report = VariabilityListing(
      session: session, span: span, windowMicroseconds: window,
      reports: try VariabilityReport.reports(
        NNIntervals(beats), in: span, windowMicroseconds: window, refusal: session.variabilityRefusal))
    try StandardOutput.write(json ? report.json.text + "\n" : report.text(columns: StandardOutput.columns))
    try alterations.report()
  }

  /// More would need minutes of computing, and nobody would read them.
  private static let mostWindows: Int64 = 10_000

  /// The part of the session that is asked for.
  private func span(of session: SessionSummary, from: Timestamp?, to: Timestamp?) throws -> TimeSpan {
    let start = max(from ?? session.start, session.start)
    let end = min(to ?? session.end, session.end)
    // A session of one notification has no length, and may still be asked about as a whole.
    let isOutside =
      from.map { $0 >= session.end && $0 > session.start } ?? false || to.map { $0 <= session.start } ?? false
    guard !isOutside, let span = TimeSpan(start: start, end: end) else {
      throw CommandFailure(
        .badData, "nothing of session \(session.shortName) lies in that time",
        remedy:
          "it runs from \(session.start.iso8601(fractionDigits: 0)) to \(session.end.iso8601(fractionDigits: 0))")
    }
    return span
  }

  /// By the machine's own clocks where no zone is named.
  private func moment(_ text: String?, option: String) throws -> Timestamp? {
    guard let text else { return nil }
    return try MomentText.moment(text, in: ZoneChoice.rules(named: nil, environment: .current), option: option)
  }

  /// A whole number of seconds, minutes or hours.
  private static func microseconds(_ text: String) throws -> Int64 {
    let seconds: Int64? =
      switch text.last {
      case "s": 1
      case "m": 60
      case "h": 3600
      default: nil
      }
    let digits = text.dropLast()
    guard let seconds, let count = Int64(digits), count > 0, count <= 24 * 3600, digits.first != "+" else {
      throw ValidationError("a length is written as 90s, 5m or 1h")
    }
    return count * seconds * 1_000_000
  }
}
