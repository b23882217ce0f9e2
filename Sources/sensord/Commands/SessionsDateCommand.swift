internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord sessions date SESSION… --start TIME`: says when sessions were that a clock dated wrongly.
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
