internal import ArgumentParser
internal import Glibc
internal import Support

/// The program: parses the command line, runs one command, and reports a failure in one line and an exit code.
@main
enum Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    guard let thread = MainThread() else {
      Terminal.complain("there is no pipe left; end other programs")
      exit(ForwardFailure.Status.software.rawValue)
    }
    let errand = Errand(thread)
    // With this preference the task begins on this thread, not in the global pool.
    Task(executorPreference: thread) { await errand.run() }
    thread.run()
  }
}

/// The command that was asked for, on the thread of `main`.
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

/// A command that waits for the store or the server, on its caller's thread: the program has no other thread beside the store's.
protocol ForwardAction {
  func perform(isolation: isolated (any Actor)?) async throws
}

/// Output for a person and the log.
enum Terminal {
  /// Writes a line to stdout, and ends the program where that fails: a reader would take half of the output for all of it.
  static func print(_ text: String) {
    guard !write(text + "\n", to: STDOUT_FILENO) else { return }
    complain("the output cannot be written: \(unsafe String(cString: strerror(errno)))")
    exit(ForwardFailure.Status.io.rawValue)
  }

  /// Writes a line to stderr, with the program's name.
  static func complain(_ text: String) { _ = write("sensord-forward: \(text)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Writes a JSON object in one line; the values are JSON already.
  static func printObject(_ members: [(String, String)]) {
    print("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}")
  }
}
