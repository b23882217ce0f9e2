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

  /// What can be written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case beats
    case rates
  }

  @Argument(help: "The first digits of a session's name, or last.")
  var session: String

  @Option(help: "What to write.")
  var format: Format

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write this file, readable by you alone, instead of stdout.", valueName: "file"))
  var output: String?

  mutating func run() throws {
    let (name, format) = (session, format)
    let catalogue = try SessionCatalogue(store)
    let table = try CommandLoop.run {
      switch format {
      case .beats:
        let (session, beats) = try await catalogue.recording(name)
        if let note = BeatsExport.note(on: session) { StandardError.write(note) }
        return BeatsExport.csv(beats)
      case .rates:
        let rates = try await catalogue.rates(name)
        return RatesExport.csv(rates.values, gaps: rates.gaps)
      }
    }
    guard let output else { return try StandardOutput.write(table) }
    let file = try ReplacedFile(path: output)
    try file.write(table)
    try file.finish()
  }
}
