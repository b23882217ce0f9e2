internal import ArgumentParser

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
