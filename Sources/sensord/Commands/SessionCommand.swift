import ArgumentParser
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SensordClient
import Support

/// `sensord session`: a session on request, for shells.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Begin, mark and end a session of what is recorded.",
    discussion: """
      The recorder records all the time. 'begin' and 'end' say which part of it
      is a session of its own; no value is lost at either. The session goes on
      when this command has ended, and ends by itself as any other does.

        sensord session begin --metadata title=Interval
        sensord session mark "second round"
        sensord session end

      With --all 'begin' begins a session of every sensor that measures, and
      'mark' and 'end' are about all of them, each at one instant: a class, say.
      """,
    subcommands: [SessionBeginCommand.self, SessionMarkCommand.self, SessionEndCommand.self])
}

/// `sensord session begin`.
struct SessionBeginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "begin", abstract: "Begin a session.",
    usage: """
      sensord session begin [--sensor <address> | --all]
                            [--metadata <key=text> ...]
      """)

  @Option(help: ArgumentHelp("Whose values; needed where several sensors measure.", valueName: "address"))
  var sensor: String?

  @Flag(help: "One of each sensor that measures and has none, all at one instant.")
  var all = false

  @OptionGroup var metadata: MetadataOption

  @Flag(help: "Print the session as JSON.")
  var json = false

  func validate() throws {
    guard !all || sensor == nil else { throw ValidationError("either --sensor or --all") }
  }

  mutating func run() throws {
    let (sensor, all) = (sensor, all)
    let metadata = metadata.values
    let sessions = try RunningRecorder.run { recorder in
      try await all
        ? recorder.beginSessions(metadata: metadata)
        : [recorder.beginSession(of: sensor, metadata: metadata, endsWithClient: false)]
    }
    guard json else { return try StandardOutput.write(sessions.map { "\($0.name)\n" }.joined()) }
    let documents = sessions.map { session -> JSONValue in
      [
        "id": .string(session.name), "path": .string(session.objectPath), "sensor": .string(session.sensor ?? ""),
        "start": .string(session.start.iso8601()),
      ]
    }
    try SessionCommand.write(documents, all: all)
  }
}

/// `sensord session mark TEXT`.
struct SessionMarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Mark the present moment in a session.",
    usage: "sensord session mark <text> [--session <id> | --all]")

  @Argument(help: "What is said of the moment.")
  var text: String

  @Option(help: ArgumentHelp("The first digits of the session's name.", valueName: "id"))
  var session: String?

  @Flag(help: "All sessions that you began in a shell, at one instant.")
  var all = false

  func validate() throws {
    guard !all || session == nil else { throw ValidationError("either --session or --all") }
  }

  mutating func run() throws {
    let (text, name, all) = (text, session, all)
    try RunningRecorder.run { recorder in
      let sessions = try await recorder.sessions()
      guard all else { return try await ShellObjectKind.session.chosen(name, of: sessions).addMarker(text) }
      // One instant, also where one of the sessions is over meanwhile.
      let now = Timestamp(microseconds: LocalTime.now())
      var failure: ClientError?
      for session in try ShellObjectKind.session.own(of: sessions) {
        do throws(ClientError) { try await session.addMarker(text, at: now) } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }
}

/// `sensord session end`.
struct SessionEndCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a session, and wait until it is stored.",
    usage: "sensord session end [<session> | --all] [--json]")

  @Argument(help: "The first digits of its name; needed where several were begun.")
  var session: String?

  @Flag(help: "All sessions that you began in a shell, at one instant.")
  var all = false

  @Flag(help: "Print the session as JSON.")
  var json = false

  func validate() throws {
    guard !all || session == nil else { throw ValidationError("either a session or --all") }
  }

  mutating func run() throws {
    let (name, all) = (session, all)
    let ended = try RunningRecorder.run { recorder in
      let sessions = try await recorder.sessions()
      return try await all
        ? recorder.endSessions(ShellObjectKind.session.own(of: sessions))
        : [ShellObjectKind.session.chosen(name, of: sessions).ended()]
    }
    func identifier(_ session: ClientSession.Ended) -> String { session.id.uuidString.lowercased() }
    guard json else {
      let lines = ended.map { $0.span == nil ? ": nothing was recorded, so nothing is stored\n" : "\n" }
      return try StandardOutput.write(zip(ended, lines).map { identifier($0) + $1 }.joined())
    }
    let documents = ended.map { session -> JSONValue in
      [
        "id": .string(identifier(session)), "stored": .bool(session.span != nil),
        "start": .string(session.span?.start.iso8601()), "end": .string(session.span?.end.iso8601()),
      ]
    }
    try SessionCommand.write(documents, all: all)
  }
}

extension SessionCommand {
  /// Writes one document, or with `--all` an array of them.
  fileprivate static func write(_ documents: [JSONValue], all: Bool) throws {
    if all { return try StandardOutput.write(JSONValue.lines(documents)) }
    try StandardOutput.write(documents.map { $0.text + "\n" }.joined())
  }
}
