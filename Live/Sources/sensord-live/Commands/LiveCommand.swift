internal import ArgumentParser

struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-live",
    abstract: "Shows the heart rate that sensord records: in a browser, and to other programs.",
    discussion: """
      Reads from the recorder over D-Bus, as the application org.sensord.Live, which the recorder's owner has to allow:
        sensord grants allow org.sensord.Live@UID --read heartRate,heartbeatSeries

      'sensord-live run' listens on this machine alone. 'sensord-live open' prints a link that opens its page once.
      """,
    subcommands: [RunCommand.self, OpenCommand.self, TokenCommand.self])
}
