import ArgumentParser
import RecorderBus
import DBus
import Documents
import HealthModel
import Ingestion
import Reports
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
    let metadata = metadata.values.value
    let sessions = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await SessionAccess.find(on: loop)
      return try await all ? access.beginAll(metadata) : [access.begin(of: sensor, metadata)]
    }
    guard json else { return try StandardOutput.write(sessions.map { "\($0.id)\n" }.joined()) }
    let documents = sessions.map { session -> JSONValue in
      [
        "id": .string(session.id), "path": .string(session.path.text), "sensor": .string(session.sensor),
        "start": .string(Timestamp(microseconds: session.start).iso8601()),
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
    try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await SessionAccess.find(on: loop)
      try await all ? access.markAll(text) : access.mark(access.session(name), text)
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
    let ended = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await SessionAccess.find(on: loop)
      return try await all ? access.endAll() : [access.end(access.session(name))]
    }
    guard json else {
      let lines = ended.map { $0.isStored ? "\($0.id)\n" : "\($0.id): nothing was recorded, so nothing is stored\n" }
      return try StandardOutput.write(lines.joined())
    }
    let documents = ended.map { session -> JSONValue in
      [
        "id": .string(session.id), "stored": .bool(session.isStored),
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

/// Access of `sensord session` to the sessions on request of the running recorder.
struct SessionAccess {
  private let door: DoorAccess

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> SessionAccess {
    let kind = DoorAccess.Kind(
      parent: ClientInterfaces.sessions, interface: ClientInterfaces.session, name: "session", beginning: "begun",
      command: "sensord session begin")
    return SessionAccess(door: try await DoorAccess.find(kind, on: loop))
  }

  /// Begins a session that outlives this program.
  @concurrent func begin(of sensor: String?, _ metadata: Value) async throws -> DoorAccess.Object {
    var options: [String: Value] = ["endWithClient": .boolean(false), "metadata": metadata]
    options["sensor"] = sensor.map { .string($0) }
    return try await door.make(ClientInterfaces.manager, "BeginSession", .properties(options))
  }

  /// The same of each sensor that measures.
  @concurrent func beginAll(_ metadata: Value) async throws -> [DoorAccess.Object] {
    let options: [String: Value] = ["endWithClient": .boolean(false), "metadata": metadata]
    return try await door.makeAll(ClientInterfaces.manager, "BeginSessions", .properties(options))
  }

  /// Marks a time, in microseconds since 1970 (UTC); 0 is now.
  @concurrent func mark(_ session: DoorAccess.Object, _ text: String, at time: Int64 = 0) async throws {
    _ = try await door.call(session, "AddMarker", [.int64(time), .string(text)])
  }

  /// Marks the present moment in all sessions that this user began from a shell, also where one of these sessions is over
  /// meanwhile.
  @concurrent func markAll(_ text: String) async throws {
    let now = HostClock.system.wallMicroseconds()
    var failure: (any Error)?
    for session in try await door.allOwn() {
      do { try await mark(session, text, at: now) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// A session that has ended, as the recorder reports it.
  struct Ended {
    var id: String
    var isStored: Bool
    var span: TimeSpan?

    fileprivate init(_ values: [String: Value]) {
      func time(_ key: String) -> Timestamp? { values[key]?.int64.map { Timestamp(microseconds: $0) } }
      id = values["id"]?.string ?? ""
      isStored = values["stored"]?.boolean == true
      if let start = time("start_us"), let end = time("end_us") { span = TimeSpan(start: start, end: end) }
    }
  }

  /// Ends a session, and returns when it is stored.
  @concurrent func end(_ session: DoorAccess.Object) async throws -> Ended {
    Ended(try await door.call(session, "End").first?.properties ?? [:])
  }

  /// Ends all sessions that this user began from a shell, at one instant, and returns when they are stored.
  @concurrent func endAll() async throws -> [Ended] {
    let paths = try await door.allOwn().map(\.path)
    let answer = try await door.call(
      ClientInterfaces.manager, "EndSessions", [.objectPaths(paths), .properties([:])])
    guard case .array(let ended, _)? = answer.first else { throw DoorAccess.noSense }
    return ended.map { Ended($0.properties ?? [:]) }
  }

  /// The session with this name, or without a name the one that this user began from a shell.
  @concurrent func session(_ name: String?) async throws -> DoorAccess.Object {
    try await door.object(named: name, severalRemedy: "name one of them")
  }
}
