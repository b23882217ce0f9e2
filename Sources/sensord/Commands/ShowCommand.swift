internal import Documents
internal import Recordings
internal import ArgumentParser

/// `sensord show SESSION|last`: one session in full.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one session with its quality report.",
    discussion: """
      With a maximum heart rate in the configuration, also the time in its zones.

        sensord show last
        sensord show 3f2a91bc --json
      """)

  @Argument(help: "The first digits of a session's name, or last.")
  var session: String

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  @Flag(help: "Print the session as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let name = session
    let zones = try settings.load().zones
    let catalogue = try store.catalogue()
    let report = try CommandLoop.run { try await catalogue.report(name, zones: zones) }
    try StandardOutput.write(json ? report.json.text + "\n" : report.text(columns: StandardOutput.columns))
  }
}
