import ArgumentParser
import Glibc
import Reports

/// `sensord import FILE…`: recordings of other programs into the store. `sensord-interchange` reads them.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store what other programs recorded.",
    usage: "sensord import <file> ... [--dry-run] [--start <time>] [options]",
    discussion: """
      Reads FIT, TCX, GPX, HRV Logger's CSV, intervals as text, WFDB's headers with
      the annotations beside them, and Apple Health's export.xml or export.zip, known
      by what is in them, also packed by gzip; of other ZIP files each activity.
      The same file twice adds nothing; what was deleted stays deleted, but for
      recordings with --restore.

      A damaged file is read up to the damage, and told with 65. Of several files
      the others come in all the same; the code is the greatest of theirs.

        sensord import ride.fit
        sensord import --types heartRate,sleepAnalysis export.zip
        sensord import --start 2026-03-01T07:14:22+01:00 rr.txt
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "file"))
  var files: [String]

  @OptionGroup var store: StoreOptions

  @Flag(help: "Say what would come in, and change nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("Of Apple's export only these types, by commas.", valueName: "types"))
  var types: String?

  @Option(help: ArgumentHelp("Leave out what ended before.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("When the one file began that does not say it.", valueName: "time"))
  var start: String?

  @Flag(help: "Bring recordings back that were deleted.")
  var restore = false

  @Flag(help: "Store recordings that are there in another format, too.")
  var again = false

  @Flag(help: "Print what became of each file as JSON.")
  var json = false

  func validate() throws {
    guard !files.contains("") else { throw ValidationError("a file has no name") }
  }

  mutating func run() throws {
    var arguments = ["import"]
    if let path = store.path { arguments += ["--store", path] }
    if dryRun { arguments.append("--dry-run") }
    if let types { arguments += ["--types", types] }
    if let since { arguments += ["--since", since] }
    if let start { arguments += ["--start", start] }
    if restore { arguments.append("--restore") }
    if again { arguments.append("--again") }
    if json { arguments.append("--json") }
    try InterchangeProgram.become(arguments + ["--"] + files)
  }
}

/// The program beside this one that writes and reads formats of others: foreign files are not parsed in the recorder.
enum InterchangeProgram {
  static let name = "sensord-interchange"

  /// Becomes that program, which does the rest of the command; throws where the program cannot be started.
  static func become(_ arguments: [String]) throws(CommandFailure) -> Never {
    let beside = FileAccess.directory(of: try ProgramSearch.own())
    guard let path = ProgramSearch.find(name, first: beside, path: ProcessEnvironment.current["PATH"]) else {
      throw CommandFailure(
        .unavailable, "\(name) is neither in \(beside) nor in PATH", remedy: "install it beside sensord")
    }
    _ = unsafe CStringArray.with([path] + arguments) { argv in unsafe execv(path, argv) }
    throw CommandFailure(FileError(errno, "cannot start \(path)", otherwise: .unavailable))
  }
}
