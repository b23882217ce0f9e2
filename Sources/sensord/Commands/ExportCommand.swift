internal import HealthModel
internal import SeriesStore
internal import Documents
internal import Recordings
internal import ArgumentParser

/// `sensord export SESSION|last --format FORMAT`: the values of a session for another program.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the values of a session as CSV.",
    usage: "sensord export <session> --format <format> [-o <file>] [options]",
    discussion: """
      beats  time,run,index,rr_ticks,preceded_by_gap,flags   (RR in 1/1024 s)
      rates  time,bpm,contact,energy_kj,preceded_by_gap

        sensord export last --format beats -o beats.csv
      """)

  @Argument(help: "The first digits of a session's name, or last.")
  var session: String

  @Option(help: "What to write.")
  var format: ExportFormat

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write this file, readable by you alone, instead of stdout.", valueName: "file"))
  var output: String?

  mutating func run() throws {
    let (name, format) = (session, format)
    let catalogue = try store.catalogue()
    let (session, table) = try CommandLoop.run { try await catalogue.export(name, as: format) }
    if format == .beats, let note = Self.noteOnBeats(of: session) { StandardError.write(note) }
    guard let output else { return try StandardOutput.write(table) }
    let file = try ReplacedFile(path: output)
    try file.write(table)
    try file.finish()
  }

  /// Why a session has no beats although its sensor sent intervals: a line for a person; nil for any other session.
  static func noteOnBeats(of session: SessionSummary) -> String? {
    session.variabilityRefusal.map { "Session \(session.shortName) has no beats: \($0). Try '--format rates'.\n" }
  }
}

extension ExportFormat: ExpressibleByArgument {}
