internal import ArgumentParser
internal import Glibc

/// The program: parses, does one thing, and says at its end what went wrong in one line and a code.
@main
enum Main {
  @MainActor
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try ForwardCommand.parseAsRoot()
      if let action = command as? any ForwardAction {
        try await action.perform(isolation: #isolation)
      } else {
        try command.run()
      }
    } catch let failure as ForwardFailure {
      Terminal.complain(failure.message)
      exit(failure.status.rawValue)
    } catch {
      let isHelp = ForwardCommand.exitCode(for: error) == .success
      let text = ForwardCommand.fullMessage(for: error)
      if isHelp { Terminal.print(text) } else { Terminal.complain(text) }
      exit(isHelp ? 0 : ForwardFailure.Status.usage.rawValue)
    }
  }
}

/// What a command does that waits: on the thread of its caller, the only one beside the store's.
protocol ForwardAction {
  func perform(isolation: isolated (any Actor)?) async throws
}
