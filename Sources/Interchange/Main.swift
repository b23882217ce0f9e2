internal import ArgumentParser
internal import Documents
internal import Glibc
internal import HealthModel
internal import MainThreadExecutor
internal import Recordings
internal import StoreCommands

/// The program `sensord-interchange`, which `sensord import` and `sensord export` start: what reads strangers' files is not in the
/// recorder.
@main
enum Main {
  /// Runs all tasks; nil if the system has no pipe left.
  static let thread = MainThread()

  static func main() {
    // A file that may not grow is an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    guard let thread else {
      Output.error("sensord: the system has no pipe left; end other programs")
      exit(ExitStatus.unavailable.rawValue)
    }
    // With this preference it begins here, not in the global pool.
    Task(executorPreference: thread) { await run() }
    thread.run()
  }

  @concurrent private static func run() async {
    do {
      var command = try InterchangeCommand.parseAsRoot()
      if let command = command as? any ConfinedCommand {
        try await command.perform()
      } else {
        try command.run()
      }
      exit(0)
    } catch {
      exit(report(error))
    }
  }

  /// Prints the text of `error`, help and version included, and returns the code to exit with.
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
  /// Nil for errors of ArgumentParser.
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

/// The root of the command line of `sensord-interchange`.
struct InterchangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-interchange",
    abstract: "Writes and reads the formats of other programs for sensord.",
    usage: "sensord-interchange <command> [options]",
    discussion: """
      'sensord export' and 'sensord import' start it: what reads strangers' files
      is not in the recorder.
      """,
    version: "sensord-interchange \(ProgramVersion.current)",
    subcommands: [ExportCommand.self, ImportCommand.self])
}

/// Both outputs of the program.
enum Output {
  /// Writes to stdout.
  static func write(_ bytes: [UInt8]) throws(FileError) {
    guard let number = FileAccess.write(bytes, to: STDOUT_FILENO) else { return }
    throw FileError(number, "cannot write", otherwise: .inputOutput)
  }

  /// Writes a whole file that only its owner can read, or to stdout where no name is given.
  static func file(
    _ path: String?, in places: ExportPlaces,
    _ write: ((_ piece: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
  ) throws(FileError) {
    guard let path else { return try write { (piece) throws(FileError) in try Self.write(piece) } }
    let file = try places.file(path)
    try write { (piece) throws(FileError) in try file.write(piece) }
    try places.finish(file)
  }

  /// Prints a text for which nothing can be done where that fails.
  static func print(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDOUT_FILENO)
  }

  /// Writes to stderr what stands on a terminal for a moment.
  static func line(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// A line on stderr, safe for a terminal whatever file names put into it.
  static func error(_ line: String) {
    _ = FileAccess.write(Array("\(PrintableText.line(line))\n".utf8), to: STDERR_FILENO)
  }
}
