internal import HealthModel
internal import SeriesStore
internal import Documents
internal import Recordings
internal import ArgumentParser
internal import StoreCommands

/// `sensord export SESSION|last --format FORMAT`: the values of a session for another program.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a session or workout for another program.",
    usage: "sensord export <session> --format <format> [-o <file>] [options]",
    discussion: """
      beats      CSV: time,run,index,rr_ticks,preceded_by_gap,flags (RR in 1/1024 s)
      rates      CSV: time,bpm,contact,energy_kj,preceded_by_gap
      fit        an activity with rates, intervals, laps and pauses
      tcx        an activity with rates
      rr         intervals in ms, one a line (Kubios, Elite HRV)
      hrvlogger  CSV of HRV Logger: date, rr, since start
      wfdb       beats and gaps as annotations: -o ride makes ride.hea and ride.atr
      edf        EDF+: rates as a signal, beats and gaps as annotations
      omh        Open mHealth: a data point for each rate and interval
      fhir       FHIR R4: rates of each second, SDNN, a workout

      All but the first two take a workout, too.

        sensord export last --format fit -o ride.fit
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @Option(help: "What to write.")
  var format: ExportChoice

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write this file, readable by you alone, instead of stdout.", valueName: "file"))
  var output: String?

  mutating func run() throws {
    switch format {
    case .own(let format): try write(format)
    case .foreign(let format):
      var arguments = ["export", session, "--format", format.rawValue]
      if let path = store.path { arguments += ["--store", path] }
      if let output { arguments += ["--output", output] }
      try InterchangeProgram.become(arguments)
    }
  }

  private func write(_ format: ExportFormat) throws {
    let name = session
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
