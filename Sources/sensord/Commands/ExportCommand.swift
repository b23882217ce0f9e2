import ArgumentParser
import Documents
import HealthModel
import Reports
import SeriesStore

/// `sensord export SESSION|last --format FORMAT`: the values of a session for another program.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write sessions or workouts for another program.",
    usage: """
      sensord export <session> --format <format> [-o <file>] [options]
      sensord export --from <t> --to <t> --format <format> [-o <folder>]
      sensord export <session> --into <ride.fit> [-o <file>] [options]
      """,
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
      apple      export.xml like Apple Health's: rates, beats, a workout

      All but the first two take a workout, too, and --from and --to: sessions that
      begin then, in one file (tcx, omh, fhir, apple) or each in a file of a folder.
      --into adds rates and intervals to the FIT file of a ride that has none.

        sensord export last --format fit -o ride.fit
        sensord export --from 2026-11-01 --format fit -o november
        sensord export last --into ride.fit -o ride-with-heart.fit
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String?

  @Option(help: "What to write.", completion: .list(ExportChoice.allValueStrings), transform: ExportChoice.named)
  var format: ExportChoice?

  @Option(help: ArgumentHelp("Sessions that began then or later.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("Sessions that began before.", valueName: "t"))
  var to: String?

  @Option(help: ArgumentHelp("Add what the ride in this FIT file has none of.", valueName: "ride.fit"))
  var into: String?

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write this file, readable by you alone, instead of stdout.", valueName: "file"))
  var output: String?

  @Flag(help: "With --into and -o: print as JSON what was added and what was left out.")
  var json = false

  private var isRange: Bool { from != nil || to != nil }

  func validate() throws {
    if output == "" { throw ValidationError("-o names no file") }
    if into == "" { throw ValidationError("--into names no file") }
    if session == nil, !isRange { throw ValidationError("Missing expected argument '<session>'") }
    if session != nil, isRange { throw ValidationError("a session and --from or --to do not go together") }
    if json, into == nil || output == nil { throw ValidationError("--json goes with --into and -o") }
    switch (format, into) {
    case (nil, nil): throw ValidationError("Missing expected argument '--format <format>'")
    case (.some, .some): throw ValidationError("--into writes FIT, and does not go with --format")
    case (nil, .some) where session == nil: throw ValidationError("--into takes one session or workout")
    case (.own, nil) where session == nil: throw ValidationError("beats and rates are tables of one session")
    default: break
    }
  }

  mutating func run() throws {
    var arguments = ["export"]
    switch format {
    case .own(let format): return try write(format)
    case .foreign(let format): arguments += ["--format", format.rawValue]
    case nil: break
    }
    if let into { arguments += ["--into", into] }
    for (option, text) in [("--from", from), ("--to", to)] {
      guard let text else { continue }
      let moment = try MomentText.moment(
        text, in: ZoneChoice.rules(named: nil, environment: .current), option: option)
      arguments += [option, moment.iso8601(fractionDigits: 6)]
    }
    if let path = store.path { arguments += ["--store", path] }
    if let output { arguments += ["--output", output] }
    if json { arguments += ["--json"] }
    if let session { arguments += ["--", session] }
    try InterchangeProgram.become(arguments)
  }

  private func write(_ format: ExportFormat) throws {
    let name = session ?? ""
    let catalogue = try store.catalogue()
    let (table, alterations) = try CommandLoop.run {
      let session = try await catalogue.session(name, for: format)
      return (try await session.table(format), try await session.alterations())
    }
    if let output {
      let file = try ReplacedFile(path: output)
      try file.write(table)
      try file.finish()
    } else {
      try StandardOutput.write(table)
    }
    try alterations.reportDamages()
  }
}

/// The formats of `export`: tables of this program's own, and the formats of others, which `sensord-interchange` writes.
enum ExportChoice: Hashable, CaseIterable, ExpressibleByArgument {
  case own(ExportFormat)
  case foreign(ForeignFormat)

  /// The formats that `sensord-interchange` has, by the same names.
  enum ForeignFormat: String, CaseIterable {
    case fit
    case tcx
    case rr
    case hrvlogger
    case wfdb
    case edf
    case omh
    case fhir
    case apple
  }

  static let allCases = ExportFormat.allCases.map(Self.own) + ForeignFormat.allCases.map(Self.foreign)

  static var allValueStrings: [String] { allCases.map(\.name) }

  var name: String {
    switch self {
    case .own(let format): format.rawValue
    case .foreign(let format): format.rawValue
    }
  }

  init?(argument: String) {
    guard let choice = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = choice
  }

  /// The format of that name; the error for an unknown one lists all formats, since CSV for example has other names here.
  static func named(_ argument: String) throws -> Self {
    if let choice = Self(argument: argument) { return choice }
    let others = ForeignFormat.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("there is no such format: beats and rates are the CSV tables, the others \(others)")
  }
}
