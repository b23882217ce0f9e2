internal import ArgumentParser
internal import StoreCommands

/// `sensord grants`: what other programs may do.
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

/// `APPLICATION@UID`, `--share` and `--read`: about what something is decided.
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
