internal import Documents
internal import Recordings
internal import ArgumentParser
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord events [SESSION]`: low and high heart rates and irregular rhythms. `sensord events --rescan [SESSION]`: looks for
/// them anew.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "List heart events, or look for them anew.",
    usage: """
      sensord events [<session>] [--kind <k>] [--from <t>] [--to <t>] [options]
             sensord events --rescan [<session>] [--config <file>] [options]
      """,
    discussion: """
      Ten minutes below or above a heart rate, and half an hour of an irregular
      rhythm. What is looked for is configured; a session's events are found when
      it ends. They are no diagnosis.
      With --rescan stored sessions are searched by the present settings: a second
      time adds nothing. Events of kinds that are switched off stay.

        sensord events --kind low --from 2026-11-01
        sensord events --rescan
      """)

  @Argument(help: "The first digits of a session's name, or last; all without.")
  var session: String?

  @Option(help: ArgumentHelp("Only these: low, high or irregular.", valueName: "k"), transform: Self.kind)
  var kind: HeartEvent.Kind?

  @Option(help: ArgumentHelp("Leave out what ended before, as in 2026-11-21T06:00.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what began then or later.", valueName: "t"))
  var to: String?

  @Flag(help: "Search stored sessions anew.")
  var rescan = false

  @OptionGroup var settings: ConfigurationOptions

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the events as JSON, or what a rescan changed.")
  var json = false

  func validate() throws {
    if rescan {
      guard kind == nil, from == nil, to == nil else {
        throw ValidationError("--kind, --from and --to do not go with --rescan")
      }
    } else if settings.path != nil {
      throw ValidationError("--config goes with --rescan")
    }
  }

  mutating func run() throws {
    if rescan { return try EventScanReport(name: session, rules: settings.load().eventRules, store: store).write(json) }
    if !json { try ZoneChoice.requireLocal() }
    let predicate = try predicate()
    let name = session
    let catalogue = name == nil ? nil : try store.catalogue()
    let reader = try store.openToRead()
    let samples = try CommandLoop.run { () async throws -> [HealthSample] in
      var parts = [predicate]
      if let name, let catalogue { parts.append(.session(try await catalogue.listed(name).id)) }
      guard let reader else { return [] }
      return try await SampleQuery(.and(parts)).result(for: reader).value
    }
    if json {
      try StandardOutput.write(JSONValue.lines(samples.compactMap(\.heartEventJSON)))
    } else if samples.isEmpty {
      StandardError.write("There are no such events. 'sensord events --rescan' searches what is stored.\n")
    } else {
      try StandardOutput.write(HeartEventTable.text(samples, columns: StandardOutput.columns))
    }
  }

  private func predicate() throws -> SamplePredicate {
    let time = try MomentText.predicate(from: from, to: to)
    let kinds = kind.map { [$0] } ?? HeartEvent.Kind.allCases
    return .and([.or(kinds.map { .type(.category($0.type)) }), time])
  }

  private static func kind(_ text: String) throws -> HeartEvent.Kind {
    guard let kind = HeartEvent.Kind(rawValue: text) else {
      throw ValidationError("a kind is low, high or irregular")
    }
    return kind
  }
}
