internal import ArgumentParser

/// `sensord devices`: the sensors that may be recorded.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List, add, rename, remove, replace and pair the sensors to record.",
    discussion: """
      Only sensors in this list are ever recorded. A running recorder notices
      changes within a second.

        sensord devices add C0:FF:EE:00:00:01 --name "Polar H10"
        sensord devices
      """,
    subcommands: [
      DevicesListCommand.self, DevicesAddCommand.self, DevicesRenameCommand.self, DevicesRemoveCommand.self,
      DevicesReplaceCommand.self, DevicesPairCommand.self,
    ],
    defaultSubcommand: DevicesListCommand.self)
}
