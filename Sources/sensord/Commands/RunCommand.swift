internal import Recordings
internal import ArgumentParser
internal import StoreCommands

/// `sensord run`: records until it is stopped.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Record the sensors in the list until Ctrl-C.",
    discussion: """
      Connects to the sensors that 'sensord devices' lists whenever they are near,
      and goes on by itself after a loss. Without --config the settings are read
      from ~/.config/sensord/sensord.conf or /etc/sensord/sensord.conf.
      """)

  @OptionGroup var settings: ConfigurationOptions

  @OptionGroup var store: StoreOptions

  @OptionGroup var bus: BusOptions

  mutating func run() throws {
    let environment = ProcessEnvironment.current
    let configuration = try settings.load()
    let location = try StoreLocation.forRecorder(option: store.path, environment: environment)
    try RecorderProcess(
      configuration: configuration, store: location, bus: bus.address, environment: environment
    ).run()
  }
}
