import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord show SESSION|WORKOUT|last`: one session or workout in full.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one session or workout, and its quality.",
    usage: "sensord show <session> [--tachogram] [--json] [options]",
    discussion: """
      With a maximum heart rate in the configuration, also the time in its zones.
      On a terminal that shows UTF-8, also its intervals over time, or the rates of
      a sensor that sends no intervals. 'sensord report' makes a page of it.

        sensord show last
        sensord show 3f2a91bc --json
        sensord show 7c10e5d2              a workout
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  @Flag(inversion: .prefixedNo, help: "Draw the intervals over time, wherever it is shown.")
  var tachogram: Bool?

  @Flag(help: "Print it as JSON.")
  var json = false

  mutating func validate() throws {
    if json, tachogram == true { throw ValidationError("--tachogram does not go with --json") }
  }

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let name = session
    let zones = try settings.load().zones
    let catalogue = try store.catalogue()
    let (json, columns) = (json, StandardOutput.columns)
    let isDrawn = tachogram ?? (StandardOutput.isTerminal && ProcessEnvironment.current.isUTF8)
    let (text, alterations) = try CommandLoop.run { () async throws -> (String, [StoreDamage]) in
      func picture(_ curves: RecordedCurves) -> String {
        let text = BlockChart(curves).text(columns: StandardOutput.isTerminal ? columns : 80)
        return text.isEmpty ? "" : "\n" + text
      }
      switch try await catalogue.named(name) {
      case .session(let session):
        let report = try await session.report(zones: zones)
        let alterations = try await session.alterations()
        if json { return (report.json.text + "\n", alterations) }
        let text = report.text(columns: columns)
        return (isDrawn ? try await text + picture(session.curves()) : text, alterations)
      case .workout(let workout):
        let report = try await catalogue.report(ofWorkout: workout, zones: zones)
        if json { return (report.json.text + "\n", []) }
        let text = report.text(columns: columns)
        return (isDrawn ? try await text + picture(catalogue.curves(ofWorkout: workout)) : text, [])
      }
    }
    try StandardOutput.write(text)
    try alterations.reportDamages()
  }
}

/// The rows of `show` for the metadata of a recording.
enum MetadataRows {
  static func table(_ metadata: [(key: String, value: MetadataValue)]) -> TextTable {
    var table = TextTable([.init("Metadata"), .init("Value", shrinks: true)])
    for (key, value) in metadata { table.add([key, text(value)]) }
    return table
  }

  private static func text(_ value: MetadataValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .flag(let flag): flag ? "yes" : "no"
    case .time(let time): LocalTime.second(time.microseconds)
    case .quantity(let quantity): "\(quantity.value) \(quantity.unit.symbol)"
    }
  }
}

/// The lines of `show` above its tables: a label and a fact.
enum FactLines {
  /// The lines of all facts that have a value.
  static func text(_ facts: [(label: String, value: String)]) -> String {
    facts.filter { !$0.value.isEmpty }.map { label, value in
      label + String(repeating: " ", count: max(1, 10 - label.count)) + PrintableText.line(value) + "\n"
    }.joined()
  }
}
