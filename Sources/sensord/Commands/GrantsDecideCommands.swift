internal import Documents
internal import ArgumentParser
internal import Clients
internal import DBus
internal import HealthModel

/// `sensord grants allow PROGRAM --share TYPES --read TYPES`.
struct GrantsAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Allow a program to save or read types.",
    usage: "sensord grants allow <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions

  mutating func run() throws {
    try options.decide(.allowed)
  }
}

/// `sensord grants deny PROGRAM --share TYPES --read TYPES`.
struct GrantsDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Refuse a program to save or read types.",
    usage: "sensord grants deny <name> [--share <list>] [--read <list>] [options]")

  @OptionGroup var options: GrantOptions

  mutating func run() throws {
    try options.decide(.denied)
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
  fileprivate func decide(_ decision: Grant.Decision) throws {
    let options = self
    guard let client = ClientArgument.client(program) else { return }
    let grants: [Grant]
    do throws(Refusal) {
      grants = try ClientRegistry.grants(
        about: client, share: types.share, read: types.read, decision,
        at: Timestamp(microseconds: LocalTime.now()), isType: ClientArgument.isType)
    } catch {
      throw CommandFailure(.usage, error.message)
    }
    try CommandLoop.run(on: EventLoop()) { loop in
      try await GrantAccess.find(options.store, making: true, on: loop).decide(grants)
    }
    let entries = grants.map { GrantEntry($0) }
    if json { return try StandardOutput.write(JSONValue.lines(entries.map(\.json))) }
    let lines = entries.map { entry in
      let may = decision == .allowed ? "may" : "may not"
      let verb = entry.permission == .share ? "save" : "read"
      return "\(ClientArgument.text(client)) \(may) \(verb) \(entry.type).\n"
    }
    try StandardOutput.write(lines.joined())
  }
}
