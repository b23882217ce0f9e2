internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import Glibc
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore

/// `sensord-interchange import FILE…`: recordings of other programs into the store.
struct ImportCommand: ParsableCommand, ConfinedCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store recordings that other programs made.",
    usage: "sensord-interchange import <file> ... [--dry-run] [options]")

  @Argument(
    help: ArgumentHelp(
      "FIT, TCX, GPX, HRV Logger's CSV, intervals as text, a header of WFDB, or Apple's export.xml or export.zip; also packed by gzip, or many in a ZIP file.",
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

  @Flag(help: "Bring recordings back that were deleted.")
  var restore = false

  @Flag(help: "Store recordings that are there in another format, too.")
  var again = false

  @Flag(help: "Print what became of each session as JSON.")
  var json = false

  func validate() throws {
    guard !files.contains("") else { throw ValidationError("a file has no name") }
  }

  @concurrent func perform() async throws {
    var cage = Cage()
    let opened = files.map { cage.open($0) }
    let store = try ImportStore(self.store, isDry: dryRun, &cage)
    defer { store.end() }
    try cage.enter()
    try store.start()
    try await read(opened, into: store)
  }

  /// Reads all files; pipes and devices among them are open already.
  @concurrent private func read(_ opened: [CInt?], into store: ImportStore) async throws {
    var destination = ImportDestination(store, isDry: dryRun, restore: restore, again: again)
    var answers = ImportAnswers(isJSON: json)
    var giveUp: CommandFailure?
    for (file, opened) in zip(files, opened) where giveUp == nil {
      var report = ImportReport(file: file, isDry: dryRun)
      do {
        try await read(file, opened, into: &destination, &report, &answers)
      } catch let error as FileDamage {
        report.damage = error
      } catch {
        guard let failure = CommandFailure(classifying: error) else { throw error }
        report.failure = failure
        report.namesFile = error is UnreadableInput
        // A failure of the store is a failure of all files.
        if !(error is UnreadableInput), failure.status != .badData, failure.status != .noInput { giveUp = failure }
      }
      try answers.add(report, isTold: giveUp != nil)
    }
    try answers.finish()
    if let giveUp { throw giveUp }
    if let status = answers.status { throw EarlierReport(status: status) }
  }

  /// Reads one file in pieces, and stores each session as soon as it is whole.
  @concurrent private func read(
    _ file: String, _ opened: CInt?, into destination: inout ImportDestination, _ report: inout ImportReport,
    _ answers: inout ImportAnswers
  ) async throws {
    var input = try InputFile(path: file, opened: opened)
    var unpacking = Unpacking()
    var piece = try unpacking.first { try input.read() }
    if let refusal = Self.refusal(piece, isPacked: unpacking.isPacked) { throw refusal }
    if ZipArchive.recognizes(piece) { return try await readZip(file, input, into: &destination, &report, &answers) }
    defer { report.damage = unpacking.placed(report.damage) }
    guard let format = ForeignFormat(beginning: piece) else {
      guard AppleHealthReader.recognizes(piece) else { throw Self.unknown(piece) }
      var reading = try appleImport(file, size: input.size, &report)
      var place = input.place
      try await reading.read(piece, into: &destination) {
        let more = try unpacking.next {
          let packed = try input.read()
          place = input.place
          return packed
        }
        return (more, place)
      }
      (report.apple, report.damage) = try await reading.finish(into: &destination)
      if let interruption = reading.interruption { throw interruption }
      return
    }
    for (place, companion) in try format.companions(of: file).enumerated() where report.isEmpty {
      if place > 0 {
        // Annotations of the rhythm alone: the beats are in the next file.
        input = try InputFile(path: file)
        (unpacking, report.account) = (Unpacking(), ReadingAccount())
        piece = try unpacking.first { try input.read() }
      }
      var goesOn = companion
      try await readSessions(format, piece, into: &destination, &report) {
        let more = try unpacking.next { try input.read() }
        guard more.isEmpty, let next = goesOn else { return more }
        input = try InputFile(path: next)
        goesOn = nil
        return [0]
      }
      if place > 0, let companion, !report.isEmpty { report.account.note("the beats are those of \(companion)") }
    }
    guard report.isEmpty else { return }
    if report.account.leftOut[ForeignFormat.sinceSwitchedOn] != nil {
      throw CommandFailure(
        .badData, "its times count from when its device was switched on",
        remedy: "give --start 2026-03-01T07:14:22+01:00")
    }
    throw CommandFailure(.badData, "there is no heart rate and no beat with a time in it")
  }

  /// The reason for which a file that begins like this is not read.
  private static func refusal(_ piece: [UInt8], isPacked: Bool) -> CommandFailure? {
    guard !piece.isEmpty else {
      return CommandFailure(
        .badData, isPacked ? "there is nothing in it" : "it is empty", remedy: "copy it again from where it came from")
    }
    if isPacked, GzipReader.recognizes(piece) || ZipArchive.recognizes(piece) {
      return CommandFailure(.badData, "it is packed twice", remedy: "unpack it once: gunzip")
    }
    if ForeignFormat.isUTF16(piece) {
      return CommandFailure(.badData, "it is text in UTF-16", remedy: "save it as UTF-8")
    }
    return nil
  }

  private static func unknown(_ piece: [UInt8]) -> CommandFailure {
    let names = "FIT, TCX, GPX, HRV Logger's CSV, intervals as text, WFDB's headers and Apple's export"
    if let format = UnreadFormat.name(beginning: piece) {
      return CommandFailure(.badData, "it is \(format.name), which is not read", remedy: format.remedy)
    }
    if let reason = IntervalTextReader.refusal(piece) {
      return CommandFailure(.badData, "it is none of \(names): \(reason)")
    }
    guard piece.count >= 16 else {
      let length = piece.count == 1 ? "one byte" : "\(piece.count) bytes"
      return CommandFailure(
        .badData, "it has \(length), too few for any of \(names)", remedy: "copy it again from where it came from")
    }
    return CommandFailure(.badData, "it is none of \(names)")
  }

  /// Stores each session as soon as it is whole. `next` has the next piece, empty at the end.
  @concurrent func readSessions(
    _ format: ForeignFormat, _ first: [UInt8], into destination: inout ImportDestination,
    _ report: inout ImportReport, next: () throws -> [UInt8]
  ) async throws {
    guard types == nil else {
      let what = format == .apple ? "sensord wrote it: it has sessions" : "other files are sessions"
      throw CommandFailure(.usage, "--types is for Apple's own export; \(what)")
    }
    let lacksStart = format == .rr && !IntervalTextReader.saysStart(first)
    guard !lacksStart || start != nil else {
      throw CommandFailure(
        .badData, "intervals as text do not say when they were", remedy: "give --start 2026-03-01T07:14:22+01:00")
    }
    if lacksStart, !destination.takeStart() {
      throw CommandFailure(
        .badData, "--start is when the text before it began", remedy: "import it alone, with a --start of its own")
    }
    report.format = format
    var piece = first
    var reader = format.reader()
    if let start { reader.begin(at: start) }
    var assembly = ForeignAssembly(format, start: start)
    var isOver = false
    while !isOver {
      isOver = piece.isEmpty
      var elements: [ForeignElement] = []
      do throws(FileDamage) {
        if isOver { try reader.finish(into: &elements) } else { try reader.read(piece, into: &elements) }
      } catch {
        // The elements before the damage stay.
        report.damage = error
        isOver = true
      }
      do {
        if !isOver { piece = try next() }
      } catch let error as FileDamage {
        report.damage = error
        isOver = true
        reader.breakOff(into: &elements)
      }
      var found: [ForeignAssembly.Found] = []
      for element in elements { try assembly.take(element, into: &found) }
      if isOver { try assembly.finish(into: &found) }
      for one in found { try await store(one, format, into: &destination, &report) }
    }
    report.account.add(reader.account)
    report.account.add(assembly.account)
    guard !assembly.lacksStart else {
      throw CommandFailure(
        .badData, "it does not say when it began, with a zone", remedy: "give --start 2026-03-01T07:14:22+01:00")
    }
  }

  func appleImport(_ file: String, size: Int64?, _ report: inout ImportReport) throws -> AppleImport {
    guard !restore else {
      throw CommandFailure(.usage, "--restore is for recordings; what was deleted of Apple's export stays deleted")
    }
    report.formatName = "apple"
    return AppleImport(file, isDry: dryRun, types: types, since: since, size: size)
  }

  @concurrent private func store(
    _ found: ForeignAssembly.Found, _ format: ForeignFormat, into destination: inout ImportDestination,
    _ report: inout ImportReport
  ) async throws {
    switch found {
    case .session(let session):
      if let since, session.end < since { return report.tooOld += 1 }
      report.rows.append(ImportReport.Row(session, try await destination.answer(to: session, format)))
    case .ride(let ride):
      if let since, ride.workout.end < since {
        if ride.sessions.isEmpty { report.tooOld += 1 }
        return
      }
      report.rides.append(try await destination.answer(to: ride, beside: report.rows))
    }
  }

  /// The names of types, which are looked at before a file is.
  private static func names(_ text: String) throws -> Set<String> {
    let names = text.split { $0 == "," || $0 == " " }.map(String.init)
    for name in names where SampleType(identifier: name) == nil {
      let near = Spelling.nearest(to: name, among: SampleType.standard.map(\.identifier))
      let hint = near.isEmpty ? "" : " (\(near.joined(separator: ", "))?)"
      throw ValidationError("there is no type '\(name)'\(hint)")
    }
    guard !names.isEmpty else { throw ValidationError("--types names none") }
    return Set(names)
  }

  /// Reads a moment; a date alone is refused: nobody's recording begins at midnight in UTC.
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

extension Cage {
  /// Allows a file to be read when its turn comes, with those that may go on where it ends. Anything else, such as a pipe of the shell, is
  /// opened now: it has no path that could be allowed.
  mutating func open(_ file: String) -> CInt? {
    for path in [file] + ForeignFormat.possibleCompanions(of: file) { allowReading(path) }
    guard file != "-", FileAccess.exists(file), !FileAccess.isRegular(file) else { return nil }
    let descriptor = InputFile.open(file)
    return descriptor < 0 ? nil : descriptor
  }
}
