import ClientInterfaces

internal import ArgumentParser
internal import DBus
internal import Documents
internal import HealthModel

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
      """,
    subcommands: [SessionBeginCommand.self, SessionMarkCommand.self, SessionEndCommand.self])
}

/// `sensord session begin`.
struct SessionBeginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "begin", abstract: "Begin a session.",
    usage: "sensord session begin [--sensor <address>] [--metadata <key=text> ...]")

  @Option(help: ArgumentHelp("Whose values; needed where several sensors measure.", valueName: "address"))
  var sensor: String?

  @OptionGroup var metadata: MetadataOption

  @Flag(help: "Print the session as JSON.")
  var json = false

  mutating func run() throws {
    let (sensor, json) = (sensor, json)
    let metadata = metadata.values.value
    let session = try CommandLoop.run(on: EventLoop()) { loop in
      try await SessionAccess.find(on: loop).begin(of: sensor, metadata)
    }
    guard json else { return try StandardOutput.write("\(session.id)\n") }
    let document: JSONValue = [
      "id": .string(session.id), "path": .string(session.path.text), "sensor": .string(session.sensor),
      "start": .string(Timestamp(microseconds: session.start).iso8601()),
    ]
    try StandardOutput.write(document.text + "\n")
  }
}

/// `sensord session mark TEXT`.
struct SessionMarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Mark the present moment in a session.",
    usage: "sensord session mark <text> [--session <id>]")

  @Argument(help: "What is said of the moment.")
  var text: String

  @Option(help: ArgumentHelp("The first digits of the session's name.", valueName: "id"))
  var session: String?

  mutating func run() throws {
    let (text, name) = (text, session)
    try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await SessionAccess.find(on: loop)
      try await access.mark(access.session(name), text)
    }
  }
}

/// `sensord session end`.
struct SessionEndCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a session, and wait until it is stored.",
    usage: "sensord session end [<session>] [--json]")

  @Argument(help: "The first digits of its name; needed where several were begun.")
  var session: String?

  @Flag(help: "Print the session as JSON.")
  var json = false

  mutating func run() throws {
    let (name, json) = (session, json)
    let ended = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await SessionAccess.find(on: loop)
      return try await access.end(access.session(name))
    }
    let (id, isStored) = (ended["id"]?.string ?? "", ended["stored"]?.boolean == true)
    guard json else {
      return try StandardOutput.write(isStored ? "\(id)\n" : "\(id): nothing was recorded, so nothing is stored\n")
    }
    func time(_ key: String) -> JSONValue {
      .string(ended[key]?.int64.map { Timestamp(microseconds: $0).iso8601() })
    }
    let document: JSONValue = [
      "id": .string(id), "stored": .bool(isStored), "start": time("start_us"), "end": time("end_us"),
    ]
    try StandardOutput.write(document.text + "\n")
  }
}
