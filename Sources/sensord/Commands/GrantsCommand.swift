import ArgumentParser
import DBus
import Documents
import Door
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord grants`: the permissions of other programs.
struct GrantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grants",
    abstract: "List, allow, deny and revoke what programs may do.",
    discussion: """
      Other programs ask a running recorder over D-Bus. What you decide takes
      effect at once, also for values that are being sent. Documentation/clients.md
      says what a program can do.

        sensord grants
        sensord grants allow org.example.Game@1000 --read heartRate
        sensord grants allow org.example.Shop@1000 --prescription 3f2a91bc
      """,
    subcommands: [
      GrantsListCommand.self, GrantsAllowCommand.self, GrantsDenyCommand.self, GrantsRevokeCommand.self,
    ],
    defaultSubcommand: GrantsListCommand.self)
}

/// `APPLICATION@UID`, `--share` and `--read`: the subject of a decision.
struct GrantOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The program and its user's number, such as org.example.Game@1000; 'unnamed' is one without a name.",
      valueName: "name"))
  var program: String

  @Option(help: ArgumentHelp("Types that it may save, such as height,stepCount.", valueName: "list"))
  var share: String?

  @Option(help: ArgumentHelp("Types that it may read.", valueName: "list"))
  var read: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    guard ClientArgument.client(program) != nil else {
      throw ValidationError("a program is named with its user's number, such as org.example.Game@1000")
    }
  }

  /// The types of `--share` and of `--read`.
  var types: (share: [String], read: [String]) { (Self.list(share), Self.list(read)) }

  private static func list(_ text: String?) -> [String] {
    text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }
}

/// `sensord grants list`.
struct GrantsListCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show what programs may do, and what they ask for.")

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let store = list.store
    let entries = try CommandLoop.run(on: EventLoop()) { loop in
      try await GrantAccess.findToRead(store, on: loop)?.entries() ?? []
    }
    return Listing(
      entries, json: \.json, absence: "No program has asked for anything yet.\n", rows: Self.table)
  }

  /// One row for each program, type and permission.
  static func table(_ entries: [GrantEntry], columns: Int) -> String {
    var table = TextTable([
      .init("Program", shrinks: true), .init("May"), .init("Type", shrinks: true), .init("Decision"), .init("Decided"),
    ])
    for entry in entries {
      let decision =
        switch entry.decision {
        case .allowed: "allowed"
        case .denied: "denied"
        case nil: "asks"
        }
      table.add([
        ClientArgument.text(entry.client), entry.permission.rawValue, entry.typeText, decision,
        entry.isConfigured ? "configuration" : entry.decided.map { LocalTime.minute($0.microseconds) } ?? "",
      ])
    }
    return table.rendered(columns: columns)
  }
}

extension GrantEntry {
  /// The type, and for a single sample the first digits of its identifier.
  var typeText: String {
    object.map { "\(type) \($0.id.uuidString.lowercased().prefix(8))" } ?? type
  }
}

/// `sensord grants allow PROGRAM --share TYPES --read TYPES`.
struct GrantsAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Allow a program to save or read types.",
    usage: "sensord grants allow <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions
  @OptionGroup var objects: ObjectOptions

  mutating func run() throws {
    try options.decide(.allowed, objects)
  }
}

/// `sensord grants deny PROGRAM --share TYPES --read TYPES`.
struct GrantsDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Refuse a program to save or read types.",
    usage: "sensord grants deny <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions
  @OptionGroup var objects: ObjectOptions

  mutating func run() throws {
    try options.decide(.denied, objects)
  }
}

/// `sensord grants revoke PROGRAM [--share TYPES] [--read TYPES]`.
struct GrantsRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Forget what was decided about a program.",
    usage: "sensord grants revoke <name> [--share <list>] [--read <list>] [options]",
    discussion: "Without --share and --read all of it. The program can ask again.")

  @OptionGroup var options: GrantOptions

  mutating func run() throws {
    let options = options
    guard let client = ClientArgument.client(options.program) else { return }
    let removed = try CommandLoop.run(on: EventLoop()) { loop in
      try await GrantAccess.find(options.store, making: false, on: loop)
        .revoke(client, share: options.types.share, read: options.types.read)
    }
    guard removed > 0 else {
      throw CommandFailure(
        .noInput, "nothing of this was decided about \(ClientArgument.text(client))",
        remedy: "'sensord grants' shows what is")
    }
    if options.json {
      let document: JSONValue = [
        "application": .string(client.application), "uid": .integer(client.uid), "removed": .integer(removed),
      ]
      return try StandardOutput.write(document.text + "\n")
    }
    let count = removed == 1 ? "1 decision" : "\(removed) decisions"
    try StandardOutput.write("\(ClientArgument.text(client)): \(count) forgotten.\n")
  }
}

extension GrantOptions {
  fileprivate func decide(_ decision: Grant.Decision, _ objects: ObjectOptions) throws {
    let options = self
    guard let client = ClientArgument.client(program) else { return }
    let choices = try objectChoices(objects, decision, of: client)
    let grants: [Grant]
    do throws(Refusal) {
      for choice in choices { try ClientRegistry.check(choice) }
      grants =
        !choices.isEmpty && types.share.isEmpty && types.read.isEmpty
        ? []
        : try ClientRegistry.grants(
          about: client, share: types.share, read: types.read, decision,
          at: Timestamp(microseconds: LocalTime.now()), isType: ClientArgument.isType)
    } catch {
      throw CommandFailure(.usage, error.message)
    }
    try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await GrantAccess.find(options.store, making: true, on: loop)
      try await access.decide(grants)
      for choice in choices { try await access.decide(choice) }
    }
    let entries = grants.map { GrantEntry($0) } + choices.flatMap(\.entries)
    if json { return try StandardOutput.write(JSONValue.lines(entries.map(\.json))) }
    let lines = entries.map { entry in
      let may = decision == .allowed ? "may" : "may not"
      let verb = entry.permission == .share ? "save" : "read"
      return "\(ClientArgument.text(client)) \(may) \(verb) \(entry.typeText).\n"
    }
    try StandardOutput.write(lines.joined())
  }

  /// The stored samples whose identifiers begin with these digits: a choice for each of their types.
  private func objectChoices(
    _ objects: ObjectOptions, _ decision: Grant.Decision, of client: ClientIdentity
  ) throws -> [ObjectChoice] {
    let lists = [
      (objects.prescription, SampleNames.prescriptions), (objects.record, .records),
    ]
    var chosen: [String: Set<UUID>] = [:]
    for case (let list?, let names) in lists {
      let reader = try store.openToRead()
      let all = try CommandLoop.run { try await names.samples(in: reader) }
      for name in list.split(separator: ",", omittingEmptySubsequences: false) {
        let sample = try names.sample(String(name), of: all)
        chosen[sample.type.identifier, default: []].insert(sample.id)
      }
    }
    let now = Timestamp(microseconds: LocalTime.now())
    return chosen.sorted { $0.key < $1.key }.map { type, ids in
      ObjectChoice(
        client: client, type: type, allowed: decision == .allowed ? ids : [], denied: decision == .denied ? ids : [],
        decided: now)
    }
  }
}

/// `--prescription` and `--record`: the samples that are allowed or denied one by one.
struct ObjectOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Single prescriptions that it may read, by their first digits.", valueName: "list"))
  var prescription: String?

  @Option(help: ArgumentHelp("Single clinical records that it may read, by their first digits.", valueName: "list"))
  var record: String?
}

extension ObjectChoice {
  /// A line for each sample.
  fileprivate var entries: [GrantEntry] {
    func entries(_ ids: Set<UUID>, _ decision: Grant.Decision) -> [GrantEntry] {
      ids.sorted { $0.uuidString < $1.uuidString }.map { id in
        var entry = GrantEntry(ObjectGrant(client: client, type: type, object: id, decided: decided))
        entry.decision = decision
        return entry
      }
    }
    return entries(allowed, .allowed) + entries(denied, .denied)
  }
}
