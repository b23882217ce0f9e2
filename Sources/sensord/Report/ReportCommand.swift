internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Reports
internal import SeriesStore

/// `sensord report SESSION|WORKOUT|last -o FILE`: one recording as a page.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write a page about one session or workout.",
    usage: "sensord report <session> [-o <file>] [--force] [options]",
    discussion: """
      One HTML file with its pictures: heart rate, intervals, Poincaré plot, gaps,
      heart rate variability. It runs no program, loads nothing from elsewhere, and
      fits A4 and Letter. Whoever has the file has the health data in it.

        sensord report last -o report.html
        sensord report 7c10e5d2 -o run.html --config my.conf      with zones
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write this file, readable by you alone, instead of stdout.", valueName: "file"))
  var output: String?

  @Flag(help: "Replace the file where there is one.")
  var force = false

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  mutating func run() throws {
    let zone = try ZoneChoice.rules(named: nil, environment: .current)
    if let output, !force, FileAccess.isRegular(output) {
      throw CommandFailure(
        .cannotCreate, "there is a file \(output) already", remedy: "name another one, or replace it with --force")
    }
    let name = session
    let zones = try settings.load().zones
    let catalogue = try store.catalogue()
    let (page, alterations) = try CommandLoop.run { () async throws -> (ReportPage, [StoreDamage]) in
      switch try await catalogue.named(name) {
      case .session(let session):
        try session.summary.requireValues()
        let (report, curves) = (try await session.report(zones: zones), try await session.curves())
        return (
          ReportPage(report, curves, in: zone, version: SensordCommand.version), try await session.alterations()
        )
      case .workout(let workout):
        let report = try await catalogue.report(ofWorkout: workout, zones: zones)
        let curves = try await catalogue.curves(ofWorkout: workout)
        return (ReportPage(report, curves, in: zone, version: SensordCommand.version), [])
      }
    }
    let bytes = Array(page.text.utf8)
    if let output {
      let file = try ReplacedFile(path: output)
      try file.write(bytes)
      try file.finish()
    } else {
      try StandardOutput.write(bytes)
    }
    try alterations.reportDamages()
  }
}
