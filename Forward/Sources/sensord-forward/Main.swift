internal import ArgumentParser
internal import Glibc
internal import MainThreadExecutor

/// The program: parses, does one thing, and says at its end what went wrong in one line and a code.
@main
enum Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    guard let thread = MainThread() else {
      Terminal.complain("there is no pipe left; end other programs")
      exit(ForwardFailure.Status.software.rawValue)
    }
    let errand = Errand(thread)
    // With this preference it begins here, not in the global pool.
    Task(executorPreference: thread) { await errand.run() }
    thread.run()
  }
}

/// What was asked for, on the thread of `main`.
private actor Errand {
  private let thread: MainThread

  init(_ thread: MainThread) { self.thread = thread }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  func run() async {
    do {
      var command = try ForwardCommand.parseAsRoot()
      if let action = command as? any ForwardAction {
        try await action.perform(isolation: self)
      } else {
        try command.run()
      }
      exit(0)
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
