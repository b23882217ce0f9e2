internal import ArgumentParser
internal import Glibc
internal import HealthModel
internal import StoreCommands

/// The program `sensord-interchange`, which `sensord import` and `sensord export` start: what reads strangers' files is not in the
/// recorder.
@main
enum Main {
  static func main() async {
    // A file that may not grow is an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try InterchangeCommand.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      exit(report(error))
    }
  }

  /// Says what `error` has to say, help and version included, and returns the code to exit with.
  private static func report(_ error: any Error) -> Int32 {
    if let earlier = error as? EarlierReport { return earlier.status.rawValue }
    if let failure = CommandFailure(classifying: error) {
      Output.error(failure.line)
      return failure.status.rawValue
    }
    guard InterchangeCommand.exitCode(for: error) != .success else {
      Output.print(InterchangeCommand.fullMessage(for: error) + "\n")
      return 0
    }
    let message = InterchangeCommand.message(for: error).replacing("\n", with: " ")
    Output.error("sensord: \(message) (--help tells more)")
    return ExitStatus.usage.rawValue
  }
}

extension CommandFailure {
  /// Nil for what is ArgumentParser's.
  init?(classifying error: any Error) {
    if let error = error as? SeriesError {
      self.init(.badData, "its beats make no series: \(error)")
    } else if let error = error as? UnreadableInput {
      self.init(error.reason)
    } else {
      self.init(ofStored: error)
    }
  }
}
