import ArgumentParser
import Documents
import Glibc
import Reports
import Support

/// `sensord backup FILE`: everything that was recorded, in one file.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy everything that was recorded into one file.",
    usage: "sensord backup <file> [--store <file>] [options]",
    discussion: """
      Takes one state of the store with its attachments, what is recorded just now,
      what programs were granted, and the configuration; not the kept captures. A
      recorder goes on meanwhile. The file is a tar archive with checksums, and for
      its owner alone; there has to be room for the store twice. One that is there
      already is replaced when the new one is whole.

        sudo sensord backup /mnt/stick/sensord.tar
      """)

  @Argument(help: ArgumentHelp("The file to make.", valueName: "file"))
  var file: String

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  @Flag(help: "Print what is in the backup as JSON.")
  var json = false

  func validate() throws {
    if file.isEmpty || file == "-" { throw ValidationError("a backup needs the name of a file") }
  }

  mutating func run() throws {
    let location = try store.location()
    if location.path == StoreLocation.servicePath, geteuid() != 0 {
      throw CommandFailure(.permission, "a backup of what the service records is made by root", remedy: "use sudo")
    }
    let configuration =
      settings.path ?? Configuration.candidates(of: location, .current).first(where: FileAccess.exists)
    let signals = try EndSignals(after: nil)
    defer { Progress.clear() }
    var backup = Backup(
      of: location, configuration: configuration, version: SensordCommand.version,
      time: Int(LocalTime.now() / 1_000_000), progress: LongWork(until: signals.descriptor).report)
    let report = try backup.make(file)
    Progress.clear()
    for line in report.leftOut { StandardError.write("sensord: left out: \(PrintableText.line(line))\n") }
    try StandardOutput.write(json ? Self.json(report, file).text + "\n" : Self.text(report, file))
    guard report.leftOut.isEmpty else { throw EarlierReport(status: .badData) }
  }

  private static func text(_ report: Backup.Report, _ file: String) -> String {
    let attachments = "\(report.attachments) attachment\(report.attachments == 1 ? "" : "s")"
    let journal = "\(report.journalFiles) file\(report.journalFiles == 1 ? "" : "s") of the journal"
    let settings = report.hasConfiguration ? "the configuration" : "no configuration"
    return PrintableText.line(
      "\(file): the store up to change \(report.change), \(attachments), \(journal), \(settings)") + "\n"
  }

  private static func json(_ report: Backup.Report, _ file: String) -> JSONValue {
    [
      "file": .string(file), "bytes": .integer(report.length), "change": .integer(report.change),
      "attachments": .integer(report.attachments), "journalFiles": .integer(report.journalFiles),
      "configuration": .bool(report.hasConfiguration), "leftOut": .array(report.leftOut.map { .string($0) }),
    ]
  }
}

/// Work that is long enough for a person to watch, or to end with Ctrl-C; unfinished results are removed.
struct LongWork {
  private let descriptor: CInt

  /// Work that ends when a descriptor can be read (``EndSignals``).
  init(until descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Shows the progress; throws where the work is to end.
  func report(_ text: String) throws {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 0) == 0 else {
      throw CommandFailure(.unavailable, "interrupted; nothing was left behind")
    }
    Progress.show(text)
  }
}

/// `sensord restore FILE`: restores a backup at an empty place.
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
    // The modes of the service also where a person named its store: members of its group are to read the restored files.
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
