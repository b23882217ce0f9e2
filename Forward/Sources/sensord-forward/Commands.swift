internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import Glibc
internal import SeriesStore

struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-forward", abstract: "Keep a copy of a recorder's history in PostgreSQL.",
    version: "sensord-forward \(Forwarder.version)",
    subcommands: [
      RunCommand.self, StatusCommand.self, VerifyCommand.self, RestoreCommand.self, SchemaCommand.self,
      ForgetCommand.self,
    ])
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the statements that make the centre's tables, views and roles.",
    usage: "sensord-forward schema [--engine fdw --node <parameters> ...] [--json]",
    discussion: """
        sensord-forward schema |
          psql --single-transaction --set ON_ERROR_STOP=1 DATABASE

      With '--engine fdw' for a server that spreads persons over others by
      postgres_fdw; each of these has the plain schema:
        sensord-forward schema --engine fdw \\
          --node 'host=node-1 dbname=sensord' --node 'host=node-2 dbname=sensord'

      For programs, with '--json', one object: "engine", "version" (of the tables;
      every command refuses a centre of another one), "servers" (what this engine
      calls the nodes, in their order: each login needs a user mapping for each)
      and "statements", to be run one after the other in one transaction.
      """)

  enum Engine: String, ExpressibleByArgument { case postgres, fdw }

  @Option(help: "postgres, one server, or fdw, several.") var engine = Engine.postgres
  @Option(
    help: ArgumentHelp(
      "With fdw: the database of a node, as libpq's parameters; once for each.", valueName: "parameters")) var node:
    [String] = []
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let script = try script()
    guard json else { return Terminal.print(script) }
    func list(_ texts: [String]) -> String { "[\(texts.map(RowText.quoted).joined(separator: ","))]" }
    Terminal.printObject([
      ("engine", RowText.quoted(engine.rawValue)), ("version", "\(CentreSchema.version)"),
      ("servers", list(node.indices.map(CentreSchema.server))),
      ("statements", list(CentreSchema.statements(of: script))),
    ])
  }

  private func script() throws -> String {
    guard engine == .fdw else {
      guard node.isEmpty else { throw ForwardFailure(.usage, "--node belongs to --engine fdw") }
      return CentreSchema.script
    }
    guard !node.isEmpty else { throw ForwardFailure(.usage, "--engine fdw needs a --node for each server") }
    let nodes = try node.map { text in
      try text.split(separator: " ").map { word in
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, ["host", "port", "dbname", "sslmode", "sslrootcert"].contains(parts[0]) else {
          throw ForwardFailure(.usage, "'\(word)' is none of host=, port=, dbname=, sslmode= and sslrootcert=")
        }
        return (keyword: String(parts[0]), value: String(parts[1]))
      }
    }
    return CentreSchema.script(nodes: nodes)
  }
}

struct RunCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Forward what is saved and deleted, until told to end.",
    usage: "sensord-forward run [--once] [--again] [options]")

  @OptionGroup var place: Place
  @Flag(help: "Forward what there is, and end.") var once = false
  @Flag(
    help: "Send all with --once as if it were not there, after 'verify' found a difference; the service must not run.")
  var again = false
  @Flag(help: "Say with --once how much it was as JSON.") var json = false
  @Option(help: ArgumentHelp("End with --once after so many failures in a row; 5 by default.", valueName: "number"))
  var attempts: Int?

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let given = [again ? "--again" : nil, json ? "--json" : nil, attempts.map { "--attempts \($0)" }].compactMap { $0 }
    if let option = given.first, !once {
      throw ForwardFailure(
        .usage, "\(option) belongs to --once, and without it nothing ends; say 'run --once \(option)', or leave it out")
    }
    if let attempts, attempts < 1 { throw ForwardFailure(.usage, "--attempts is a number from 1 on") }
    let (settings, password) = try place.load()
    if again { try Forwarder.startAgain(settings, password: password) }
    var backoff = Backoff()
    var random = SystemRandomNumberGenerator()
    let trouble = Trouble(settings.failureFile)
    while true {
      do {
        try await forward(settings, password, trouble) {
          backoff.succeed()
          trouble.end()
        }
        return
      } catch let failure as ForwardFailure {
        // Somebody forgot what was forwarded, or put another store there.
        if failure.isStart { continue }
        trouble.record(failure.message)
        if once, !failure.isTransient || backoff.failures + 1 >= attempts ?? 5 { throw failure }
        // Mistakes in this gateway's configuration are not mended by time, nor by the centre.
        if failure.status == .configuration, !failure.isOfCentre { throw failure }
        let wait = backoff.fail(using: &random)
        trouble.complain("\(failure.message); trying again, at least every 5 minutes")
        poll(nil, 0, Int32(clamping: wait))
      }
    }
  }

  /// Forwards over one connection until it fails.
  private func forward(
    _ settings: Settings, _ password: String?, _ trouble: Trouble, isolation: isolated (any Actor)? = #isolation,
    works: () -> Void
  ) async throws {
    let store = try Place.open(settings, observing: !once)
    // Before the first look: what is saved from now on is signalled.
    let signals = await store.changeSignals()
    var forwarder = try await Forwarder.begin(store, settings: settings, password: password, isAgain: again) {
      trouble.record(Database.silence)
      trouble.complain("\(Database.silence); still waiting")
    }
    // A connection that is cut again and again, and brings something each time, is no failure that has to be waited for longer and longer.
    var count = try await forwarder.run(progress: works)
    works()
    if once {
      if json { Terminal.printObject([("changes", "\(count)")]) } else { Terminal.print("\(count) changes forwarded") }
      await store.close()
      return
    }
    Terminal.complain("forwarded \(count) changes; waiting for more")
    for await _ in signals {
      count = try await forwarder.run(progress: works)
      works()
    }
    throw ForwardFailure(.noInput, "the store was closed", isTransient: true)
  }
}

/// The failures that `run` reports while it goes on: to the log each cause once, and to the file of the last one.
private final class Trouble {
  private let path: String
  /// Of a former run, too.
  private var last: LastFailure?
  private var said = ""

  init(_ path: String) {
    self.path = path
    last = LastFailure.read(path)
  }

  func record(_ message: String) {
    let next = LastFailure(message)
    guard last?.message != next.message || last?.isOver == true else { return }
    next.write(to: path)
    last = next
  }

  func complain(_ line: String) {
    guard line != said else { return }
    said = line
    Terminal.complain(line)
  }

  /// Forwarding works.
  func end() {
    if last?.end() == true { last?.write(to: path) }
  }
}

struct StatusCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say how far the centre is behind the store.")

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let (settings, password) = try place.load()
    let trouble = LastFailure.read(settings.failureFile)
    do {
      try await report(settings, password, trouble)
    } catch let failure as ForwardFailure {
      // The failure that the service met says more than that of this command.
      if json { Terminal.printObject(Self.members(trouble)) } else { Self.say(trouble) }
      throw failure
    }
  }

  private func report(
    _ settings: Settings, _ password: String?, _ trouble: LastFailure?, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let store = try Place.open(settings)
    var database = try Forwarder.connect(settings, password: password)
    let identity = try await Forwarder.store { try await store.history(after: .start, limit: 1).store }
    let list = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try LineList(of: settings.user, in: &database)
    }
    let own = try await list.own(of: store, identity: identity, in: &database)
    let isOther = own == nil && list.latest(of: identity) != nil
    let sent = own?.sent ?? 0
    var next = try await Forwarder.store { try await store.history(after: .start, limit: 1) }
    if let anchor = own.flatMap({ ChangeAnchor($0.anchor) }) {
      do throws(StoreError) { next = try await store.history(after: anchor, limit: 1) } catch {
        guard error.code == .lostAnchor || error.code == .foreignAnchor else { throw ForwardFailure(error) }
      }
    }
    guard (0...next.last).contains(sent) else {
      throw ForwardFailure(DatabaseFailure(wrong: "it has \(sent) changes of a store that has \(next.last)"))
    }
    let waiting = next.last - sent
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let seconds =
      next.changes.first?.time.map {
        max(0, Int64(now.tv_sec).subtractingReportingOverflow($0.microseconds / 1_000_000).partialValue)
      } ?? 0
    let damaged = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try Forwarder.marks(of: settings.user, in: &database)
    }
    if json {
      Terminal.printObject(
        [
          ("sent", "\(sent)"), ("last", "\(next.last)"), ("waiting", "\(waiting)"), ("waitingSeconds", "\(seconds)"),
          ("olderCopy", "\(isOther)"), ("damaged", "\(damaged)"),
        ] + Self.members(trouble))
    } else {
      Terminal.print(
        waiting == 0
          ? "The centre has all \(sent) changes."
          : "The centre has \(sent) of \(next.last) changes; the oldest that it lacks is \(seconds) s old.")
      if isOther {
        Terminal.print("An older copy of the store was put in its place; it will be forwarded from the start.")
      }
      if damaged > 0 {
        Terminal.print(
          "\(damaged) objects are damaged in the store, and not whole at the centre; 'sensord check' says which.")
      }
      Self.say(trouble)
    }
  }

  private static func members(_ trouble: LastFailure?) -> [(String, String)] {
    [
      ("failing", "\(trouble?.isOver == false)"), ("lastError", trouble.map { RowText.quoted($0.message) } ?? "null"),
      ("lastErrorSeconds", trouble.map { "\($0.age)" } ?? "null"),
    ]
  }

  private static func say(_ trouble: LastFailure?) {
    guard let trouble else { return }
    Terminal.print(
      trouble.isOver
        ? "The last error came \(trouble.age) s ago, and is over: \(trouble.message)"
        : "Forwarding fails since \(trouble.age) s: \(trouble.message)")
  }
}
