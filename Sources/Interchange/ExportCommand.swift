internal import ArgumentParser
internal import HealthInterchange
internal import HealthModel
internal import Recordings
internal import StoreCommands

/// `sensord-interchange export NAME --format FORMAT`: a session or workout for other programs.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a session or workout for another program.",
    usage: "sensord-interchange export <session> --format <format> [-o <file>] [options]")

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @Option(help: "What to write.")
  var format: InterchangeFormat

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Write this file, readable by you alone, instead of stdout; of WFDB both files of that name.", valueName: "file"))
  var output: String?

  @concurrent mutating func run() async throws {
    var recording = InterchangeRecording(try await store.catalogue().values(session))
    if let refusal = format.refusal(recording) { throw CommandFailure(.badData, refusal) }
    if format == .wfdb { return try RecordFiles(output).write(&recording) }
    guard let output else {
      return try format.write(recording) { (piece) throws(FileError) in try Output.write(piece) }
    }
    let file = try ReplacedFile(path: output)
    try format.write(recording) { (piece) throws(FileError) in try file.write(piece) }
    try file.finish()
  }
}

extension InterchangeFormat: ExpressibleByArgument {}

extension InterchangeRecording {
  /// What the store has, for a format. Of a workout its activities are laps, or else the laps that were told of it.
  init(_ values: RecordedValues) {
    var laps = values.workout?.activities.map { Lap($0.span, activity: $0.configuration.activityType) } ?? []
    if laps.isEmpty, let workout = values.workout {
      laps = workout.events.filter { $0.type == .lap }.map {
        Lap($0.span, activity: workout.configuration.activityType)
      }
    }
    self.init(
      id: values.id, device: values.device, source: values.source, span: values.span, rates: values.rates,
      heartbeats: values.heartbeats, gaps: values.gaps, activity: values.workout?.configuration.activityType, laps: laps
    )
  }
}
