internal import ArgumentParser
internal import Glibc
internal import LiveServer

/// The program: parses, does one thing, and says at its end what went wrong in one line and a code.
@main
enum Main {
  static func main() {
    // A browser that goes, or a full pipe, is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try LiveCommand.parseAsRoot()
      try command.run()
    } catch let failure as LiveFailure {
      Terminal.complain(failure.message)
      exit(failure.status.rawValue)
    } catch {
      let isHelp = LiveCommand.exitCode(for: error) == .success
      let text = LiveCommand.fullMessage(for: error)
      if isHelp { Terminal.print(text) } else { Terminal.complain(Terminal.line(of: text)) }
      exit(isHelp ? 0 : LiveFailure.Status.usage.rawValue)
    }
  }
}
