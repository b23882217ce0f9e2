import ArgumentParser
import Glibc
import Reports

/// The program: parses the arguments, runs one command, and reports an error in one line and an exit code.
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

  /// Prints the text of `error`, help and version included, and returns the exit code.
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

/// The root of the command line; Documentation/command-line.md lists the parts that other programs may rely on.
struct SensordCommand: ParsableCommand {
  static let version = ProgramVersion.current

  static let configuration = CommandConfiguration(
    commandName: "sensord",
    abstract: "Records every heartbeat that a Bluetooth heart-rate sensor sends.",
    usage: "sensord <command> [options]",
    discussion: """
        sensord devices add C0:FF:EE:00:00:01 --name Strap     once
        sensord run                                            until Ctrl-C
        sensord help TOPIC      sensors, gaps, privacy, configuration, files,
                                formats, exit-codes
      """,
    version: "sensord \(version)",
    subcommands: [DemoChildCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Recording",
        subcommands: [
          RunCommand.self, DemoCommand.self, ScanCommand.self, DevicesCommand.self, StatusCommand.self,
          WatchCommand.self, DoctorCommand.self, ResetEnergyCommand.self, SessionCommand.self, WorkoutCommand.self,
          GrantsCommand.self,
          AgentCommand.self,
        ]),
      CommandGroup(
        name: "Session",
        subcommands: [
          SessionsCommand.self, WorkoutsCommand.self, ShowCommand.self, ReportCommand.self, StatsCommand.self,
          VariabilityCommand.self, EventsCommand.self, RecoveryCommand.self, HealthCommand.self, ExportCommand.self,
          ImportCommand.self, DeleteCommand.self,
        ]),
      CommandGroup(
        name: "Store and capture",
        subcommands: [
          CheckCommand.self, BackupCommand.self, RestoreCommand.self, SQLCommand.self, CaptureCommand.self,
          ReplayCommand.self, DecodeCommand.self, HelpCommand.self,
        ]),
    ])
}

/// `sensord health`: the values that sensord does not record, but keeps for other programs.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Show sleep, hearing, blood pressure, records …",
    discussion: """
      sensord records heartbeats. Other values come from other programs, which save
      them over D-Bus (see Documentation/clients.md), or from files.

        sensord health sleep last
        sensord health records import allergies.json
      """,
    subcommands: [
      SleepCommand.self, HearingCommand.self, BloodPressureCommand.self, PrescriptionsCommand.self,
      RecordsCommand.self, AttachmentsCommand.self,
    ])
}
