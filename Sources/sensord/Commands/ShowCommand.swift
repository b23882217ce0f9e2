internal import Documents
internal import Recordings
internal import ArgumentParser

/// `sensord show SESSION|WORKOUT|last`: one session or workout in full.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one session with its quality report, or one workout.",
    discussion: """
      With a maximum heart rate in the configuration, also the time in its zones.

        sensord show last
        sensord show 3f2a91bc --json
        sensord show 7c10e5d2              a workout
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  @Flag(help: "Print it as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let name = session
    let zones = try settings.load().zones
    let catalogue = try store.catalogue()
    let (json, columns) = (json, StandardOutput.columns)
    let text = try CommandLoop.run { () async throws -> String in
      switch try await catalogue.named(name) {
      case .session:
        let report = try await catalogue.report(name, zones: zones)
        return json ? report.json.text + "\n" : report.text(columns: columns)
      case .workout(let workout):
        let report = try await catalogue.report(ofWorkout: workout, zones: zones)
        return json ? report.json.text + "\n" : report.text(columns: columns)
      }
    }
    try StandardOutput.write(text)
  }
}
