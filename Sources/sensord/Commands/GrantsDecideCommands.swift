internal import Documents
internal import ArgumentParser
internal import Clients
internal import DBus
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// `sensord grants allow PROGRAM --share TYPES --read TYPES`.
struct GrantsAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Allow a program to save or read types.",
    usage: "sensord grants allow <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions
  @OptionGroup var objects: PrescriptionOption

  mutating func run() throws {
    try options.decide(.allowed, objects.prescription)
  }
}

/// `sensord grants deny PROGRAM --share TYPES --read TYPES`.
struct GrantsDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Refuse a program to save or read types.",
    usage: "sensord grants deny <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions
  @OptionGroup var objects: PrescriptionOption

  mutating func run() throws {
    try options.decide(.denied, objects.prescription)
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
  fileprivate func decide(_ decision: Grant.Decision, _ prescriptions: String?) throws {
    let options = self
    guard let client = ClientArgument.client(program) else { return }
    let choice = try prescriptions.map { try objectChoice($0, decision, of: client) }
    let grants: [Grant]
    do throws(Refusal) {
      if let choice { try ClientRegistry.check(choice) }
      grants =
        choice != nil && types.share.isEmpty && types.read.isEmpty
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
      if let choice { try await access.decide(choice) }
    }
    let entries = grants.map { GrantEntry($0) } + (choice?.entries ?? [])
    if json { return try StandardOutput.write(JSONValue.lines(entries.map(\.json))) }
    let lines = entries.map { entry in
      let may = decision == .allowed ? "may" : "may not"
      let verb = entry.permission == .share ? "save" : "read"
      return "\(ClientArgument.text(client)) \(may) \(verb) \(entry.typeText).\n"
    }
    try StandardOutput.write(lines.joined())
  }

  /// The prescriptions whose names begin so, as they stand in the store.
  private func objectChoice(_ list: String, _ decision: Grant.Decision, of client: ClientIdentity) throws
    -> ObjectChoice
  {
    let reader = try store.openToRead()
    let all = try CommandLoop.run { () async throws -> [HealthSample] in
      guard let reader else { return [] }
      return try await SampleQuery(.type(.visionPrescription)).result(for: reader).value
    }
    let chosen = Set(
      try list.split(separator: ",", omittingEmptySubsequences: false)
        .map { try SampleNames.prescriptions.sample(String($0), of: all).id })
    return ObjectChoice(
      client: client, type: SampleType.visionPrescription.identifier, allowed: decision == .allowed ? chosen : [],
      denied: decision == .denied ? chosen : [], decided: Timestamp(microseconds: LocalTime.now()))
  }
}

/// `--prescription`: what is allowed or denied one by one.
struct PrescriptionOption: ParsableArguments {
  @Option(help: ArgumentHelp("Single prescriptions that it may read, by their first digits.", valueName: "list"))
  var prescription: String?
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
