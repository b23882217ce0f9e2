internal import ArgumentParser
internal import StoreCommands

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
