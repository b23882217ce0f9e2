import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord hrv SESSION|last`: heart rate variability of a session, of a part of it, or window by window.
struct VariabilityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrv", abstract: "Show the heart rate variability of a session.",
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
      let session = try await catalogue.session(name)
      return (session.summary, try await session.beats(), try await session.alterations())
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
    try alterations.reportDamages()
  }

  /// The greatest number of windows: more would need minutes of computing, and nobody would read them.
  private static let mostWindows: Int64 = 10_000

  /// The part of the session that is asked for.
  private func span(of session: SessionSummary, from: Timestamp?, to: Timestamp?) throws -> TimeSpan {
    let start = max(from ?? session.start, session.start)
    let end = min(to ?? session.end, session.end)
    // A session of one notification has no length, and is still valid as a whole.
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

  /// The time that `text` names, by the machine's own clocks where no zone is named.
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

extension VariabilityListing {
  /// The answer for a person.
  func text(columns: Int) -> String {
    var text = "Session   \(session.id.uuidString.lowercased())\n"
    text += "From      \(LocalTime.second(span.start.microseconds))\n"
    text += "To        \(LocalTime.second(span.end.microseconds))\n"
    if let refusal = session.variabilityRefusal { return text + "HRV       not given: \(refusal)\n" }
    if windowMicroseconds == nil, let report = reports.first {
      text += "Intervals \(Self.intervals(report))\n"
      if let step = report.intervals.coarseStep {
        let milliseconds = FixedPoint.text(1000 * step, digits: 0)
        text += "Times     known to \(milliseconds) ms only: figures come out greater than they are, at\n"
        text += "          most by 5 %; those that would by more are not given\n"
      }
      if let warning = report.rhythm.warning {
        text += "Rhythm    \(warning);\n          the figures are then those of an arrhythmia\n"
      }
      return text + "\n" + Self.figures(report, columns: columns)
    }
    return text + "\n" + windows(columns: columns)
  }

  /// The number of intervals that count, and of those that were left out.
  static func intervals(_ report: VariabilityReport) -> String {
    var text = "\(report.intervals.count) normal to normal in \(FixedPoint.text(100 * report.coverage, digits: 1)) %"
    text += " of the time"
    let joined = report.intervals.joinedEnds.count
    if joined > 0 { text += ", \(joined) of them joined over an extra detection" }
    let left = report.exclusions.map { "\($0.count) \(words($0.reason))" }
    return left.isEmpty ? text : text + ";\n          left out: " + left.joined(separator: ", ")
  }

  private static func words(_ reason: NNIntervals.Exclusion.Reason) -> String {
    switch reason {
    case .firstOfRun: "first of a run"
    case .filler: "filler"
    case .surplus: "surplus"
    case .missed: "missed or pause"
    case .ectopic: "ectopic"
    case .extra: "extra"
    case .implausible: "implausible"
    case .rateConflict: "against the rate"
    case .gap: "after a gap"
    }
  }

  private static func figures(_ report: VariabilityReport, columns: Int) -> String {
    let (table, refusals) = tables(report)
    let parts = [table, refusals].filter { !$0.isEmpty }
    return parts.map { $0.rendered(columns: columns) }.joined(separator: "\n")
  }

  /// The figures, and those that are not given with the reason.
  static func tables(_ report: VariabilityReport) -> (figures: TextTable, refusals: TextTable) {
    var table = TextTable([
      .init("Figure"), .init("Value", .right), .init("Unit"), .init("n", .right), .init("Divided by", .right),
    ])
    var refusals = TextTable([.init("Not given"), .init("Why", shrinks: true)])
    for measure in VariabilityMeasure.allCases {
      do {
        let figure = try report.figure(measure)
        table.add([
          name(measure), FixedPoint.text(figure.value, digits: digits(measure)), measure.unitSymbol, "\(figure.count)",
          "\(figure.divisor)",
        ])
      } catch {
        refusals.add([name(measure), error.description])
      }
    }
    return (table, refusals)
  }

  private func windows(columns: Int) -> String {
    let measures: [VariabilityMeasure] = [.meanRate, .sdnn, .rmssd, .pnn50, .lf, .hf, .lfHfRatio]
    var table = TextTable(
      [.init("From"), .init("NN", .right), .init("Filled", .right)] + measures.map { .init(Self.heading($0), .right) })
    var isRefused = false
    for report in reports {
      var cells = [
        LocalTime.timeOfDay(report.span.start.microseconds),
        "\(report.intervals.count)" + (report.rhythm.isDoubtful ? "*" : ""),
        FixedPoint.text(100 * report.coverage, digits: 0) + " %",
      ]
      for measure in measures {
        let figure = try? report.figure(measure)
        if figure == nil { isRefused = true }
        cells.append(figure.map { FixedPoint.text($0.value, digits: Self.digits(measure)) } ?? "-")
      }
      table.add(cells)
    }
    var note = "\nSDNN and RMSSD in ms, pNN50 in %, LF and HF in ms^2\n"
    if reports.contains(where: \.rhythm.isDoubtful) {
      note += "* probably not sinus: RMSSD is over \(RhythmIndication.limit) of the mean interval\n"
    }
    return table.rendered(columns: columns) + note
      + (isRefused ? "- not given: too short, too full of holes or too coarse; --json says for each\n" : "")
  }

  private static func name(_ measure: VariabilityMeasure) -> String {
    switch measure {
    case .meanNN: "Mean NN"
    case .meanRate: "Mean rate"
    case .sdnn: "SDNN"
    case .sdnnPopulation: "SDNN (n)"
    case .sdann: "SDANN"
    case .sdnnIndex: "SDNN index"
    case .rmssd: "RMSSD"
    case .sdsd: "SDSD"
    case .nn50: "NN50"
    case .pnn50: "pNN50"
    case .sd1: "SD1"
    case .sd2: "SD2"
    case .vlf: "VLF"
    case .lf: "LF"
    case .hf: "HF"
    case .lfHfRatio: "LF/HF"
    }
  }

  private static func heading(_ measure: VariabilityMeasure) -> String { measure == .meanRate ? "Rate" : name(measure) }

  private static func digits(_ measure: VariabilityMeasure) -> Int {
    switch measure {
    case .nn50, .vlf, .lf, .hf: 0
    case .lfHfRatio: 2
    default: 1
    }
  }
}

extension RhythmIndication {
  /// The warning for a person; nil where nothing speaks against sinus rhythm.
  var warning: String? {
    guard isDoubtful, let relativeRMSSD else { return nil }
    return "probably not sinus: RMSSD is \(Self.percent(relativeRMSSD)) of the mean interval, over \(Self.limit)"
  }

  /// The limit for a person.
  static var limit: String { percent(sinusLimit) }

  private static func percent(_ share: Double) -> String { FixedPoint.text(100 * share, digits: 0) + " %" }
}
