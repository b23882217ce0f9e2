import ArgumentParser
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord sessions`: the recorded sessions.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List what was recorded, oldest first, or date it anew.",
    subcommands: [SessionsListCommand.self, SessionsDateCommand.self], defaultSubcommand: SessionsListCommand.self)
}

/// `sensord sessions list`: the recorded sessions, and those that are being recorded.
struct SessionsListCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what was recorded, oldest first.",
    discussion: """
      Times are local, in JSON they are UTC. The first digits of a session's name
      do wherever SESSION is asked for, and so does the word last. Dates behind
      which a ? stands are of a clock that was not set.
      """)

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let catalogue = try list.store.catalogue()
    let (sessions, damages, doubtful) = try CommandLoop.run {
      let (sessions, damages) = try await catalogue.list()
      // Alterations are not looked for where pages cannot be read: the damages are enough.
      let found = damages.isEmpty ? try await catalogue.alterations() : damages
      return (sessions, found, try await catalogue.doubtful())
    }
    return Listing(
      sessions, json: { .object($0.members(isDoubtful: doubtful.contains($0.id))) },
      absence: sessions.isEmpty ? try CommandLoop.run { try await Self.absence(in: catalogue) } : "",
      damages: damages.map { "\($0)" }, rows: { SessionSummary.table($0, doubtful: doubtful, columns: $1) })
  }

  /// The text for a store without sessions: its other content, and the place of the demo's sessions.
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

extension SessionSummary {
  /// The rows of `sensord sessions`; the dates of some of them are in doubt.
  static func table(_ sessions: [SessionSummary], doubtful: Set<UUID> = [], columns: Int) -> String {
    var table = TextTable([
      .init("Session"), .init("Start"), .init("Length", .right), .init("Sensor", shrinks: true),
      .init("Avg", .right), .init("Min-Max", .right), .init("Beats", .right), .init("Gaps", .right),
    ])
    for session in sessions {
      let length = DurationText.clock(microseconds: session.microseconds)
      let start = LocalTime.minute(session.start.microseconds) + (doubtful.contains(session.id) ? "?" : "")
      table.add([
        session.shortName, start, session.isOpen ? length + "+" : length,
        session.device.name ?? session.device.localIdentifier ?? "", whole(session.heartRate.average), session.span,
        "\(session.heartbeats.count)" + (session.variabilityRefusal == nil ? "" : "*"), "\(session.gapCount)",
      ])
    }
    var notes: [String] = []
    if sessions.contains(where: { $0.isOpen }) { notes.append("+ still recording\n") }
    if sessions.contains(where: { doubtful.contains($0.id) }) { notes.append(ClockText.note) }
    let refusals = Set(sessions.compactMap { $0.variabilityRefusal?.description })
    notes += refusals.sorted().map { "* no beats: \($0)\n" }
    return table.rendered(columns: columns) + (notes.isEmpty ? "" : "\n" + notes.joined())
  }

  private var span: String {
    guard let minimum = heartRate.minimum, let maximum = heartRate.maximum else { return "" }
    return "\(Self.whole(minimum))-\(Self.whole(maximum))"
  }

  private static func whole(_ value: Double?) -> String {
    value.map { String(Int(($0 + 0.5).clamped(to: 0...100_000))) } ?? ""
  }
}

extension Double {
  /// The nearest value inside `range`; its lower bound for NaN.
  func clamped(to range: ClosedRange<Double>) -> Double {
    self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
  }
}

/// `sensord sessions date SESSION… --start TIME`: corrects the dates of sessions that a clock dated wrongly.
struct SessionsDateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "date", abstract: "Say when sessions were that a clock dated wrongly.",
    usage: "sensord sessions date <session> ... --start <t> [options]",
    discussion: """
      The earliest of them begins at that time; several keep their distances, and
      their workouts go with them, except those that have samples or a route which a
      program gave with dates of its own. Values stay as they are. What a person
      said stays until a person says otherwise, whatever the clock does.

        sensord sessions date 3f2a91bc --start 2026-11-21T14:03
        sensord sessions date 3f2a91bc 7c10e5d2 --start 2026-11-21T14:03
      """)

  @Argument(help: "The first digits of the sessions' names.")
  var sessions: [String]

  @Option(help: ArgumentHelp("When the earliest began, as in 2026-11-21T14:03:05.", valueName: "t"))
  var start: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what was moved as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let start = try MomentText.moment(
      start, in: ZoneChoice.rules(named: nil, environment: .current), option: "--start")
    let names = sessions
    let writer = try store.openToWrite(making: false)
    let (outcome, moved) = try CommandLoop.run { () async throws -> (DatingOutcome, [SessionSummary]) in
      var chosen: [SessionSummary] = []
      for name in names {
        let session = try await writer.session(name)
        if !chosen.contains(where: { $0.id == session.id }) { chosen.append(session) }
      }
      let first = chosen.map(\.start).min() ?? start
      let outcome = try await writer.date(
        chosen.map(\.id), by: start.microseconds(since: first), as: .byHand, lead: nil)
      var moved: [SessionSummary] = []
      for session in chosen { moved.append(try await writer.session(session.id.uuidString)) }
      return (outcome, moved)
    }
    if json { return try StandardOutput.write(Self.json(outcome).text + "\n") }
    var text = moved.map { "Session \($0.shortName) begins \(LocalTime.second($0.start.microseconds)).\n" }.joined()
    for workout in outcome.workouts { text += "Workout \(Self.name(workout)) goes with it.\n" }
    for workout in outcome.staying {
      text += "Workout \(Self.name(workout)) stays: a program gave samples of it dates of their own.\n"
    }
    try StandardOutput.write(text)
  }

  private static func name(_ object: UUID) -> String { String(object.uuidString.lowercased().prefix(8)) }

  private static func json(_ outcome: DatingOutcome) -> JSONValue {
    func names(_ objects: [UUID]) -> JSONValue { .array(objects.map { .string($0.uuidString.lowercased()) }) }
    return [
      "sessions": names(outcome.sessions), "workouts": names(outcome.workouts), "staying": names(outcome.staying),
      "movedSeconds": .number(Double(outcome.shift) / 1e6),
    ]
  }
}

/// `sensord delete SESSION`: removes a session for good.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a session for good.",
    discussion: """
      Nothing of its values is left in the store, the journal and the kept captures;
      only the fact that it was deleted is. The word last is not understood here,
      lest the wrong session goes.
      """)

  @Argument(help: "The first digits of the session's name.")
  var session: String

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let deletion = try SessionDeletion(of: session)
    try ZoneChoice.requireLocal()
    let catalogue = try store.catalogue()
    let writer = try store.openToWrite(making: false)
    let outcome = try CommandLoop.run(on: EventLoop()) { loop in
      try await deletion.perform(in: catalogue, writer) { try await loop.sleep(for: $0) }
    }
    switch outcome {
    case .deleted(let session):
      let start = LocalTime.minute(session.start.microseconds)
      try StandardOutput.write("Session \(session.shortName) of \(start) is deleted.\n")
    case .remainderErased: try StandardOutput.write("What was left of deleted sessions is erased.\n")
    }
  }
}
