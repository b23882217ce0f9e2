internal import Recordings
internal import ArgumentParser

/// `--config FILE`, and the settings that a command has from there or from the usual places.
struct ConfigurationOptions: ParsableArguments {
  @Option(name: .customLong("config"), help: ArgumentHelp("Read the settings from this file.", valueName: "file"))
  var path: String?

  /// The settings; see ``Configuration/load(named:environment:)``.
  func load() throws -> Configuration {
    try Configuration.load(named: path, environment: .current)
  }
}
