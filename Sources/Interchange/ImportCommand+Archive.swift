internal import HealthInterchange
internal import Reports

/// ZIP files: Apple's export, or recordings each in a file of its own.
extension ImportCommand {
  /// The export in a ZIP file, found by its root: its name depends on the language of the phone.
  @concurrent func readZip(
    _ file: String, _ input: borrowing InputFile, into destination: inout ImportDestination,
    _ report: inout ImportReport, _ answers: inout ImportAnswers
  ) async throws {
    guard let size = input.size else {
      throw CommandFailure(
        .badData, "a ZIP file is read from its end, which a pipe does not have", remedy: "save it as a file first")
    }
    do {
      let archive = try ZipArchive(size: size, input.source())
      let contents = try AppleArchive(archive)
      guard let export = contents.export else {
        try await readRecordings(file, archive, into: &destination, &report, &answers)
        report.damage = archive.damage ?? report.damage
        return
      }
      let reader = try archive.open(export.entry)
      let piece = try reader.next()
      // An export of this program, packed like Apple's exports.
      if AppleCopyReader.recognizes(piece) {
        try await readSessions(.apple, piece, into: &destination, &report) { try reader.next() }
        for (name, count) in export.others { report.account.leftOut[name, default: 0] += count }
        report.damage = report.damage ?? archive.damage ?? contents.unread
        return
      }
      var reading = try appleImport(file, size: size, &report)
      try await reading.read(piece, into: &destination) { (try reader.next(), reader.position) }
      try await reading.readFiles(in: archive, into: &destination)
      (report.apple, report.damage) = try await reading.finish(into: &destination)
      report.damage = report.damage ?? archive.damage ?? contents.unread
      for (name, count) in export.others { report.apple?.refused[name, default: 0] += count }
    } catch let error as FileDamage {
      report.damage = error
    }
  }

  /// So many files of a ZIP file are read: a life's activities, each with its name in memory.
  private static let mostFiles = 30_000
  private static let longestName = 512

  /// Reads files of recordings, packed by gzip or not, as archives of platforms have them. Each is reported as a file.
  @concurrent private func readRecordings(
    _ file: String, _ archive: ZipArchive, into destination: inout ImportDestination, _ report: inout ImportReport,
    _ answers: inout ImportAnswers
  ) async throws {
    guard types == nil else {
      throw CommandFailure(.usage, "\(file): --types is for Apple's own export, which is not in it")
    }
    report.formatName = "zip"
    var entries: [ZipArchive.Entry] = []
    var listed: FileDamage?
    do throws(FileDamage) {
      try archive.forEach { (entry) throws(FileDamage) in
        let name = entry.text
        // Entries that a Mac adds to each file are not files of their own.
        guard !name.hasSuffix("/"), !name.hasPrefix("__MACOSX/") else { return true }
        if entries.count < Self.mostFiles, entry.name.count <= Self.longestName {
          entries.append(entry)
        } else {
          report.account.leftOut["file above \(Self.mostFiles), or with too long a name", default: 0] += 1
        }
        return true
      }
    } catch {
      listed = error
    }
    var unreadable: (first: FileDamage, count: Int)?
    var found = 0
    for entry in entries {
      var part = ImportReport(file: "\(file)/\(entry.text)", isDry: dryRun)
      do {
        if let reason = try await read(entry, of: archive, into: &destination, &part) {
          report.account.leftOut[reason, default: 0] += 1
          continue
        }
      } catch let error as FileDamage {
        unreadable = (unreadable?.first ?? error, (unreadable?.count ?? 0) + 1)
        continue
      } catch {
        // Damage of one file does not stop the next; a failure of the store does.
        guard let failure = CommandFailure(classifying: error), failure.status == .badData else { throw error }
        part.failure = failure
      }
      found += 1
      try answers.add(part)
    }
    if let unreadable {
      let more = unreadable.count > 1 ? ", and \(Count.of(unreadable.count - 1, "more file")) cannot be read" : ""
      report.damage = FileDamage(unreadable.first.place, unreadable.first.problem + more)
    }
    report.damage = listed ?? report.damage
    report.hasParts = found > 0
    if found == 0, let known = entries.lazy.compactMap({ UnreadFormat.name(inArchive: $0.text) }).first {
      throw CommandFailure(.badData, "it is \(known.name), which is not read", remedy: known.remedy)
    }
    guard found > 0 || report.damage != nil || archive.damage != nil else {
      throw CommandFailure(
        .badData, "no file in it is Apple's export, FIT, TCX, GPX or HRV Logger's CSV with a heart in it")
    }
  }

  /// Reads one of them; the reason where it is left out.
  @concurrent private func read(
    _ entry: ZipArchive.Entry, of archive: ZipArchive, into destination: inout ImportDestination,
    _ part: inout ImportReport
  ) async throws -> String? {
    let reader = try archive.open(entry)
    var unpacking = Unpacking()
    let piece = try unpacking.first { try reader.next() }
    guard let format = ForeignFormat(beginning: piece) else {
      return UnreadFormat.name(beginning: piece).map { "file: \($0.name)" } ?? Self.kind(of: entry.text)
    }
    guard format != .rr || IntervalTextReader.saysStart(piece) else {
      return "intervals as text: unpack them, and give each its --start"
    }
    guard format != .wfdb else { return "header of WFDB: unpack it, with its annotations" }
    try await readSessions(format, piece, into: &destination, &part) { try unpacking.next { try reader.next() } }
    part.damage = unpacking.placed(part.damage)
    // The line begins with its name.
    if let problem = part.damage?.problem, problem.hasPrefix("\(entry.text) ") {
      part.damage?.problem = "it" + problem.dropFirst(entry.text.count)
    }
    return part.isEmpty ? "recording without a heart rate or a beat" : nil
  }

  /// Other files by their endings, as people know them.
  private static func kind(of name: String) -> String {
    let last = AppleArchive.lastName(name).lowercased()
    for ending in [".gpx", ".gpx.gz", ".csv", ".zip"] where last.hasSuffix(ending) {
      return "\(ending.dropFirst()) file"
    }
    return "other file"
  }
}

extension AppleArchive {
  /// The exports beside the one that is read: reported as lost.
  fileprivate var unread: FileDamage? {
    guard let first = furtherExports.first else { return nil }
    let more = furtherExports.count > 1 ? ", and \(furtherExports.count - 1) more" : ""
    return FileDamage(first, "another export is in the same ZIP file\(more): unpack it, and import it by itself")
  }
}
