internal import ArgumentParser
internal import CConfinement
internal import Documents
internal import FoundationEssentials
internal import Glibc
internal import HealthInterchange
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord-interchange import FILE…`: recordings of other programs into the store.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store recordings that other programs made.",
    usage: "sensord-interchange import <file> ... [--dry-run] [--since <time>] [options]")

  @Argument(
    help: ArgumentHelp(
      "FIT, TCX, HRV Logger's CSV, intervals as text, a header of WFDB, or Apple's export.xml or export.zip.",
      valueName: "file"))
  var files: [String]

  @OptionGroup var store: StoreOptions

  @Flag(help: "Say what would come in, and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Of Apple's export only these types, by commas.", valueName: "types"), transform: Self.names)
  var types: Set<String>?

  @Option(help: ArgumentHelp("Leave out what ended before.", valueName: "time"), transform: Self.time)
  var since: Timestamp?

  @Option(
    help: ArgumentHelp("When a recording began that does not say it: intervals as text.", valueName: "time"),
    transform: Self.moment)
  var start: Timestamp?

  @Flag(help: "Print what became of each session as JSON.")
  var json = false

  @concurrent mutating func run() async throws {
    // Before a stranger's byte is read.
    guard cconfinement_enter() == 0 else {
      throw CommandFailure(.unavailable, "the system does not let sensord-interchange give up network and programs")
    }
    var destination = ImportDestination(store, isDry: dryRun)
    var entries: [JSONValue] = []
    var status: ExitStatus?
    var giveUp: CommandFailure?
    for file in files where giveUp == nil {
      var report = ImportReport(file: file, isDry: dryRun)
      do {
        try await read(file, into: &destination, &report)
      } catch {
        guard let failure = CommandFailure(classifying: error) else { throw error }
        report.failure = failure.message
        status = failure.status
        // What is wrong with the store is wrong for all files.
        if !(error is UnreadableInput), failure.status != .badData, failure.status != .noInput { giveUp = failure }
      }
      if report.damage != nil { status = .badData }
      if json {
        entries.append(report.json)
      } else {
        try Output.write(Array(report.text.utf8))
      }
      if giveUp == nil { for line in report.errors { Output.error("sensord: \(line)") } }
    }
    if json { try Output.write(JSONValue.lines(entries)) }
    if let giveUp { throw giveUp }
    if let status { throw EarlierReport(status: status) }
  }

  /// Reads one file in pieces, and stores each session as soon as it is whole.
  @concurrent private func read(
    _ file: String, into destination: inout ImportDestination, _ report: inout ImportReport
  ) async throws {
    var input = try InputFile(path: file)
    let piece = try input.read()
    if ZipArchive.recognizes(piece) { return try await readZip(file, input, into: &destination, &report) }
    guard let format = ForeignFormat(beginning: piece) else {
      guard AppleHealthReader.recognizes(piece) else {
        throw CommandFailure(
          .badData,
          "\(file): it is none of FIT, TCX, HRV Logger's CSV, intervals as text, WFDB's headers and Apple's export")
      }
      var reading = try appleImport(file, size: input.size, into: &destination, &report)
      var place = Int64(piece.count)
      try await reading.read(piece) {
        let more = try input.read()
        place += Int64(more.count)
        return (more, place)
      }
      (report.apple, report.damage) = try await reading.finish()
      return
    }
    var companion = try format.companion(of: file)
    try await readSessions(file, format, piece, into: &destination, &report) {
      let more = try input.read()
      guard more.isEmpty, let next = companion else { return more }
      input = try InputFile(path: next)
      companion = nil
      return [0]
    }
  }

  /// Stores each session as soon as it is whole. `next` has the next piece, empty at the end.
  @concurrent private func readSessions(
    _ file: String, _ format: ForeignFormat, _ first: [UInt8], into destination: inout ImportDestination,
    _ report: inout ImportReport, next: () throws -> [UInt8]
  ) async throws {
    guard types == nil else {
      let what = format == .apple ? "sensord wrote it: it has sessions" : "other files are sessions"
      throw CommandFailure(.usage, "\(file): --types is for Apple's own export; \(what)")
    }
    guard format != .rr || start != nil else {
      throw CommandFailure(
        .badData, "\(file): intervals as text do not say when they were; give --start 2026-03-01T07:14:22+01:00")
    }
    report.format = format
    var piece = first
    var reader = format.reader()
    var assembly = RecordingAssembly(format, start: start)
    var isOver = false
    while !isOver {
      isOver = piece.isEmpty
      var elements: [ForeignElement] = []
      do {
        if isOver { try reader.finish(into: &elements) } else { try reader.read(piece, into: &elements) }
        if !isOver { piece = try next() }
      } catch let error as FileDamage {
        // What was found before it stays.
        report.damage = error
        isOver = true
      }
      for element in elements {
        if let session = try assembly.take(element) { try await store(session, format, into: &destination, &report) }
      }
    }
    if let session = try assembly.finish() { try await store(session, format, into: &destination, &report) }
    report.account.add(reader.account)
    report.account.add(assembly.account)
    guard !assembly.lacksStart else {
      throw CommandFailure(
        .badData, "\(file): it does not say when it began, with a zone; give --start 2026-03-01T07:14:22+01:00")
    }
    if report.rows.isEmpty, report.damage == nil, report.tooOld == 0 {
      throw CommandFailure(.badData, "\(file): there is no heart rate and no beat with a time in it")
    }
  }

  private func appleImport(
    _ file: String, size: Int64?, into destination: inout ImportDestination, _ report: inout ImportReport
  ) throws -> AppleImport {
    report.formatName = "apple"
    return AppleImport(file, into: try destination.opened(), isDry: dryRun, types: types, since: since, size: size)
  }

  /// The export in a ZIP file, found by its root: its name depends on the language of the phone.
  @concurrent private func readZip(
    _ file: String, _ input: borrowing InputFile, into destination: inout ImportDestination,
    _ report: inout ImportReport
  ) async throws {
    guard let size = input.size else {
      throw CommandFailure(.badData, "\(file): a ZIP file is read from its end, which a pipe does not have")
    }
    do {
      let archive = try ZipArchive(size: size, input.source())
      let contents = try AppleArchive(archive)
      guard let export = contents.export else {
        if let damage = archive.damage { throw damage }
        throw CommandFailure(.badData, "\(file): no file in it is Apple's export")
      }
      let reader = try archive.open(export.entry)
      let piece = try reader.next()
      // What was written here, and packed as Apple's exports are.
      if AppleCopyReader.recognizes(piece) {
        try await readSessions(file, .apple, piece, into: &destination, &report) { try reader.next() }
        for (name, count) in export.others { report.account.leftOut[name, default: 0] += count }
        report.damage = report.damage ?? archive.damage ?? contents.unread
        return
      }
      var reading = try appleImport(file, size: size, into: &destination, &report)
      try await reading.read(piece) { (try reader.next(), reader.position) }
      try await reading.readFiles(in: archive)
      (report.apple, report.damage) = try await reading.finish()
      report.damage = report.damage ?? archive.damage ?? contents.unread
      for (name, count) in export.others { report.apple?.refused[name, default: 0] += count }
    } catch let error as FileDamage {
      report.damage = error
    }
  }

  @concurrent private func store(
    _ session: RecordedSession, _ format: ForeignFormat, into destination: inout ImportDestination,
    _ report: inout ImportReport
  ) async throws {
    if let since, session.end < since { return report.tooOld += 1 }
    let outcome = try await destination.outcome(of: session, format)
    report.rows.append(
      ImportReport.Row(session, outcome, copyOf: destination.original, keepsOther: destination.keepsOther))
  }

  /// The names of types, which are looked at before a file is.
  private static func names(_ text: String) throws -> Set<String> {
    let names = text.split(separator: ",").map(String.init)
    for name in names where SampleType(identifier: name) == nil {
      let near = Spelling.nearest(to: name, among: SampleType.standard.map(\.identifier))
      let hint = near.isEmpty ? "" : " (\(near.joined(separator: ", "))?)"
      throw ValidationError("there is no type '\(name)'\(hint)")
    }
    guard !names.isEmpty else { throw ValidationError("--types names none") }
    return Set(names)
  }

  /// A date alone is none: nobody's recording begins at midnight in UTC.
  static func moment(_ text: String) throws -> Timestamp {
    guard text.utf8.contains(UInt8(ascii: ":")) else { throw noTime(text) }
    return try time(text)
  }

  static func time(_ text: String) throws -> Timestamp {
    guard let time = Timestamp(iso8601: text) else { throw noTime(text) }
    return time
  }

  private static func noTime(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is no time with a zone, such as 2026-03-01T07:14:22+01:00")
  }
}

extension AppleArchive {
  /// Exports beside the one that is read: told as what is lost.
  fileprivate var unread: FileDamage? {
    guard let first = furtherExports.first else { return nil }
    let more = furtherExports.count > 1 ? ", and \(furtherExports.count - 1) more" : ""
    return FileDamage(first, "another export is in the same ZIP file\(more): unpack it, and import it by itself")
  }
}
