internal import ArgumentParser
internal import Glibc
internal import StoreCommands

/// The program: parses, runs one command, and says at its end what went wrong in one line and a code.
@main
enum Main {
  static func main() {
    // A file that may not grow is an error like a full disk: the signal would end a recording, and leave drafts behind.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try SensordCommand.parseAsRoot()
      try command.run()
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Prints what `error` has to say, help and version included, and returns the code to exit with.
  private static func report(_ error: any Error) -> ExitStatus {
    if let earlier = error as? EarlierReport { return earlier.status }
    if let failure = CommandFailure(classifying: error) {
      StandardError.write(failure.line + "\n")
      return failure.status
    }
    guard SensordCommand.exitCode(for: error) != .success else {
      do {
        let columns = StandardOutput.isTerminal ? StandardOutput.columns : 80
        try StandardOutput.write(SensordCommand.fullMessage(for: error, columns: columns) + "\n")
        return .success
      } catch {
        StandardError.write(error.line + "\n")
        return error.status
      }
    }
    StandardError.write(UsageMessage.line(for: error, arguments: Array(CommandLine.arguments.dropFirst())) + "\n")
    return .usage
  }
}
