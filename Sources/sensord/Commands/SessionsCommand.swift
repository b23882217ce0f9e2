internal import Documents
internal import Recordings
internal import ArgumentParser
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord sessions`: what was recorded.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List what was recorded, oldest first, or date it anew.",
    subcommands: [SessionsListCommand.self, SessionsDateCommand.self], defaultSubcommand: SessionsListCommand.self)
}

/// `sensord sessions list`: what was recorded, and what is being recorded.
struct SessionsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what was recorded, oldest first.",
    discussion: """
      Times are local, in JSON they are UTC. The first digits of a session's name
      do wherever SESSION is asked for, and so does the word last. Dates behind
      which a ? stands are of a clock that was not set.
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the sessions as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let catalogue = try store.catalogue()
    let (sessions, damages, doubtful) = try CommandLoop.run {
      let (sessions, damages) = try await catalogue.list()
      // Pages that cannot be read say enough.
      let found = damages.isEmpty ? try await catalogue.alterations() : damages
      return (sessions, found, try await catalogue.doubtful())
    }
    if json {
      try StandardOutput.write(
        JSONValue.lines(sessions.map { .object($0.members(isDoubtful: doubtful.contains($0.id))) }))
    } else if sessions.isEmpty, damages.isEmpty {
      StandardError.write(try CommandLoop.run { try await Self.absence(in: catalogue) })
    } else {
      try StandardOutput.write(
        SessionSummary.table(sessions, doubtful: doubtful, columns: StandardOutput.columns))
    }
    try damages.report()
  }

  /// What a store without sessions has, and where the sessions of the demo are.
  @concurrent private static func absence(in catalogue: SessionCatalogue) async throws -> String {
    let (workouts, types) = try await catalogue.others()
    var text = ""
    if workouts > 0 { text += " \(workouts) workout\(workouts == 1 ? "" : "s"): 'sensord workouts'." }
    if let first = types.first {
      text += " Values of \(types.count) type\(types.count == 1 ? "" : "s"): 'sensord stats \(first) --every 1d'."
    }
    let demo = try? StoreLocation.forDemo(option: nil, environment: .current)
    if let demo, demo.path != catalogue.location.path, FileAccess.exists(demo.path) {
      text += " Those of the demo: 'sensord sessions --store \(PrintableText.line(demo.path))'."
    }
    guard text.isEmpty else { return "No sessions here.\(text)\n" }
    return "No sessions yet. Record one with 'sensord run', or try 'sensord demo'.\n"
  }
}
