internal import ArgumentParser
internal import Documents
internal import Recordings
internal import StoreCommands

/// `sensord restore FILE`: what a backup has, at a place where nothing is.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring back what a backup has.",
    usage: "sensord restore <file> [--store <file>] [options]",
    discussion: """
      Wants a whole backup, and a place where nothing is and no recorder runs:
      nothing is ever replaced. A damaged backup is refused, and changes nothing.
      What was being recorded goes on with the next 'sensord run'. With --store the
      configuration is put beside the store; without, where it belongs.

        sudo systemctl stop sensord
        sudo sensord restore /mnt/stick/sensord.tar
        sudo systemctl start sensord
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
  var file: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what was restored as JSON.")
  var json = false

  mutating func run() throws {
    var location = try store.location()
    // Also where a person named it: members of its group are to read what comes back.
    if location.path == StoreLocation.servicePath { (location.fileMode, location.directoryMode) = (0o640, 0o750) }
    if let refusal = location.writeRefusal() { throw refusal }
    let configuration = store.path == nil ? Configuration.candidates(of: location, .current).first : nil
    let signals = try EndSignals(after: nil)
    defer { Progress.clear() }
    let report = try BackupRestoration(
      to: location, configuration: configuration, progress: LongWork(until: signals.descriptor).report
    ).restore(file)
    Progress.clear()
    try StandardOutput.write(json ? Self.json(report, location).text + "\n" : Self.text(report, location))
  }

  private static func text(_ report: BackupRestoration.Report, _ location: StoreLocation) -> String {
    let attachments = "\(report.attachments) attachment\(report.attachments == 1 ? "" : "s")"
    let journal = "\(report.journalFiles) file\(report.journalFiles == 1 ? "" : "s") of the journal"
    var text = "\(location.path): the store up to change \(report.change), \(attachments), \(journal)\n"
    if let path = report.configuration {
      text += "The configuration is at \(path)\(report.hadConfiguration ? ", the same as before" : "")\n"
      if path == location.configurationBeside { text += "  It counts with: sensord run --config \(path)\n" }
    }
    return text.split(separator: "\n").map { PrintableText.line(String($0)) + "\n" }.joined()
  }

  private static func json(_ report: BackupRestoration.Report, _ location: StoreLocation) -> JSONValue {
    [
      "store": .string(location.path), "change": .integer(report.change), "attachments": .integer(report.attachments),
      "journalFiles": .integer(report.journalFiles), "configuration": .string(report.configuration),
    ]
  }
}
