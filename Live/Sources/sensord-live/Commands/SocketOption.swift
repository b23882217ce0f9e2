internal import ArgumentParser

struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("The hub's own socket; otherwise yours, or that of the service.", valueName: "path"))
  var path: String?
}
