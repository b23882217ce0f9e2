import ArgumentParser
import LiveHub

struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-live",
    abstract: "Shows the heart rate that sensord records: in a browser, and to other programs.",
    discussion: """
      Reads from the recorder over D-Bus, as the application org.sensord.Live, which the recorder's owner has to allow:
        sensord grants allow org.sensord.Live@UID --read heartRate,heartbeatSeries

      'sensord-live run' listens on this machine alone. 'sensord-live open' prints a link that opens its page once.
      """,
    subcommands: [RunCommand.self, OpenCommand.self, TokenCommand.self])
}

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Print a link that opens the page of the running hub once.",
    discussion: """
      The link works for two minutes and for one browser, which then may look for 30 days, or until the hub ends.

        xdg-open "$(sensord-live open)"
      """)

  @OptionGroup var socket: SocketOption

  func run() throws {
    Terminal.print(try ControlClient(socket.path).ask("open"))
  }
}

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Let programs and overlays read without a person.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Print a new token, which is shown this once.",
      discussion: """
        A program sends it as 'Authorization: Bearer TOKEN', or, where it cannot, with the address: ?token=TOKEN.

          token=$(sensord-live token add shell)
          curl -H "Authorization: Bearer $token" http://127.0.0.1:8765/hr
        """)
    @Argument(help: "What it is for: 1 to 40 letters, digits, '.', '_' and '-'.") var name: String
    @OptionGroup var socket: SocketOption

    func run() throws {
      try TokenName.check(name)
      Terminal.print(try ControlClient(socket.path).ask("add \(name)"))
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the names of all tokens.")
    @OptionGroup var socket: SocketOption

    func run() throws {
      let names = try ControlClient(socket.path).ask("list")
      if !names.isEmpty { Terminal.print(names) }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Take a token back: no request with it is answered from now on.")
    @Argument(help: "The name it was given.") var name: String
    @OptionGroup var socket: SocketOption

    func run() throws {
      try TokenName.checkExisting(name)
      _ = try ControlClient(socket.path).ask("revoke \(name)")
    }
  }
}

struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("The hub's own socket; otherwise yours, or that of the service.", valueName: "path"))
  var path: String?
}
