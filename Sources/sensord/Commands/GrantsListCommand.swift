internal import Documents
internal import ArgumentParser
internal import DBus
internal import FoundationEssentials
internal import HealthModel
internal import StoreCommands

/// `sensord grants list`.
struct GrantsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show what programs may do, and what they ask for.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the list as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let store = store
    let entries = try CommandLoop.run(on: EventLoop()) { loop in
      try await GrantAccess.findToRead(store, on: loop)?.entries() ?? []
    }
    if json {
      try StandardOutput.write(JSONValue.lines(entries.map(\.json)))
    } else if entries.isEmpty {
      StandardError.write("No program has asked for anything yet.\n")
    } else {
      try StandardOutput.write(Self.table(entries, columns: StandardOutput.columns))
    }
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
  /// The type, and of a single sample the first digits of its name.
  var typeText: String {
    object.map { "\(type) \($0.id.uuidString.lowercased().prefix(8))" } ?? type
  }
}
