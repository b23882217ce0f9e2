import ArgumentParser
import Captures
import Documents
import FoundationEssentials
import HealthModel
import Ingestion
import Reports
import SeriesStore
import Support

/// `sensord replay FILE…`: stores the sessions of captures as if they were recorded now. `sensord replay --rebuild
/// [SESSION]`: works out stored ones anew.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Store what a capture holds.",
    usage: """
      sensord replay <file> ... [--store <file>] [--handle <n>] [options]
             sensord replay --rebuild [<session>] [--store <file>] [options]
      """,
    discussion: """
      Reads sensord's own captures, btsnoop (H4 and Linux monitor) and pcapng. The
      same capture twice adds nothing; a longer one replaces a shorter one.
      With --rebuild stored sessions are worked out anew from their kept captures
      where that was done by an older version of the algorithm, and the beats of
      imported ones are judged anew.

        sensord replay h10.btsnoop --store a.sqlite
        sensord replay --rebuild
      """)

  @Argument(help: ArgumentHelp("The captures; with --rebuild a session, or none for all.", valueName: "file"))
  var files: [String] = []

  @OptionGroup var store: StoreOptions

  @OptionGroup var settings: ConfigurationOptions

  @Option(
    help: ArgumentHelp(
      "The attribute handle of 2A37, where the capture begins after its discovery.", valueName: "n"),
    transform: Self.handle)
  var handle: UInt16?

  @Flag(help: "Bring back a session that was deleted.")
  var restore = false

  @Flag(help: "Work out stored sessions anew from their kept captures or beats.")
  var rebuild = false

  @Flag(help: "Print what became of each session as JSON.")
  var json = false

  /// The outcome of one session of one file.
  struct Row: Hashable, Sendable {
    var file: String
    var outcome: Replay.Outcome
  }

  func validate() throws {
    if rebuild {
      if handle != nil { throw ValidationError("--handle does not go with --rebuild") }
      if restore { throw ValidationError("--restore does not go with --rebuild") }
      if files.count > 1 { throw ValidationError("--rebuild takes one session, or none for all") }
    } else if files.isEmpty {
      throw ValidationError("missing expected argument '<file> ...'")
    }
  }

  mutating func run() throws {
    let rules = try settings.load().eventRules
    if rebuild {
      let report = try RebuildReport(name: files.first, store: store, eventRules: rules)
      return try StandardOutput.write(json ? report.json : Array(report.text.utf8))
    }
    var rows: [Row] = []
    var failures: [CommandFailure] = []
    var writer: HealthStore?
    for (index, file) in files.enumerated() {
      Progress.show("replaying \(index + 1) of \(files.count)")
      do {
        let captures = try looked(at: file)
        let replay = Replay(into: try open(&writer), version: SensordCommand.version, eventRules: rules)
        let restore = restore
        rows += try CommandLoop.run {
          var rows: [Row] = []
          for capture in captures {
            rows.append(Row(file: file, outcome: try await replay.store(capture, restore: restore)))
          }
          return rows
        }
        SetAsideFile.markAsSeen(file)
      } catch {
        guard var failure = CommandFailure(classifying: error) else { throw error }
        if error is CaptureError, files.count > 1 || !failure.message.hasPrefix(file) {
          failure.message = "\(file): \(failure.message)"
        }
        failures.append(failure)
      }
      Progress.clear()
    }
    try StandardOutput.write(json ? JSONValue.lines(rows.map(Self.json)) : Array(rows.map(Self.line).joined().utf8))
    for failure in failures.dropLast() { StandardError.write(failure.line + "\n") }
    if let last = failures.last { throw last }
  }

  /// The captures as by ``usable(_:)``. A file that was set aside counts as examined also where nothing of it can be stored.
  private func looked(at file: String) throws -> [Capture] {
    do {
      return try usable(file)
    } catch {
      if (error as? CaptureError).map(SetAsideFile.isSeen) ?? true { SetAsideFile.markAsSeen(file) }
      throw error
    }
  }

  /// The captures in `file`; damage is reported, and the readable rest is used.
  private func usable(_ file: String) throws -> [Capture] {
    let contents = try CaptureFile.read(path: file, handle: handle)
    let shown = contents.damages.prefix(5)
    for damage in shown {
      StandardError.write("sensord: \(PrintableText.line("\(file): \(damage)")); what can be read is kept\n")
    }
    let more = contents.damageCount - shown.count
    if more > 0 { StandardError.write("sensord: \(PrintableText.line(file)): \(more) more such places\n") }
    if let text = Self.unknown(contents) {
      StandardError.write("sensord: \(PrintableText.line("\(file): \(text)"))\n")
    }
    guard !contents.captures.isEmpty else { throw CommandFailure(.badData, "\(file): no session can be read") }
    let captures = contents.captures.filter { $0.notificationCount > 0 }
    guard !captures.isEmpty else { throw CommandFailure(.badData, "\(file): there is no notification in it to store") }
    return captures
  }

  /// One line on the records that only a later version knows; nil without such records.
  private static func unknown(_ contents: CaptureContents) -> String? {
    guard let first = contents.unknownRecords.first else { return nil }
    let count = contents.unknownRecordCount
    return "\(first)" + (count > 1 ? "; such records: \(count)" : "") + "; what is known is used"
  }

  /// Opens the store only when there is something to store: a bad file leaves no empty store behind.
  private func open(_ writer: inout HealthStore?) throws -> HealthStore {
    if let writer { return writer }
    let opened = try store.openToWrite(making: true)
    writer = opened
    return opened
  }

  private static func json(_ row: Row) -> JSONValue {
    [
      "file": .string(row.file), "session": .string(row.outcome.session.uuidString.lowercased()),
      "outcome": .string(row.outcome.outcome.rawValue), "notifications": .integer(row.outcome.notifications),
      "beats": .integer(row.outcome.beats), "gaps": .integer(row.outcome.gaps),
    ]
  }

  private static func line(_ row: Row) -> String {
    let outcome = row.outcome
    let name = "\(PrintableText.line(row.file)): session \(outcome.session.uuidString.lowercased().prefix(8))"
    let counts = "\(outcome.notifications) notifications, \(outcome.beats) beats, \(outcome.gaps) gaps"
    return switch outcome.outcome {
    case .stored: "\(name) stored: \(counts)\n"
    case .replaced: "\(name) replaced a shorter form of itself: \(counts)\n"
    case .unchanged: "\(name) is stored already, nothing new\n"
    case .deletedBefore: "\(name) was deleted before, nothing stored; --restore brings it back\n"
    }
  }

  private static func handle(_ text: String) throws -> UInt16 {
    let value = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
    guard let value, value > 0 else { throw ValidationError("an attribute handle is a number from 1 to 65535") }
    return value
  }
}

/// `sensord replay --rebuild [SESSION]`: renews stored sessions, and reports the outcome of each.
struct RebuildReport {
  private struct Row {
    var session: SessionSummary
    var outcome: Rebuild.Outcome
  }

  private let rows: [Row]

  /// Renews the session that `name` means, or all for nil.
  init(name: String?, store: StoreOptions, eventRules: HeartEventRules) throws {
    let location = try store.location()
    let writer = try store.openToWrite(making: false)
    let archive = CaptureArchive(directory: location.captures, maximumAgeSeconds: nil, maximumBytes: nil)
    let rebuild = try Rebuild(
      in: writer, from: archive, version: SensordCommand.version, eventRules: eventRules)
    rows = try CommandLoop.run {
      let sessions = if let name { [try await writer.session(name)] } else { try await writer.sessions() }
      var rows: [Row] = []
      for (index, session) in sessions.enumerated() {
        Progress.show("renewing \(index + 1) of \(sessions.count)")
        rows.append(Row(session: session, outcome: try await rebuild.renew(session)))
      }
      Progress.clear()
      return rows
    }
    if name != nil, let row = rows.first, row.outcome == .noCapture {
      throw CommandFailure(
        .noInput, "session \(Self.shortName(row.session)) has no kept capture in \(location.captures)",
        remedy: "'sensord replay FILE' renews it where you have its capture elsewhere")
    }
  }

  /// One line for each session that was not of the present algorithm already, and a count of the others.
  var text: String {
    var text = ""
    for row in rows where row.outcome != .current { text += Self.line(row) + "\n" }
    let current = rows.count { $0.outcome == .current }
    if rows.isEmpty { text = "There are no sessions yet.\n" }
    if current > 0 {
      let version = Rebuild.algorithmVersion
      text += "\(current) session\(current == 1 ? " is" : "s are") of the present algorithm (\(version)) already\n"
    }
    return text
  }

  var json: [UInt8] {
    JSONValue.lines(
      rows.map { row in
        let members: [(String, JSONValue)] =
          switch row.outcome {
          case .renewed(let earlier, let beats, let gaps):
            [
              ("outcome", .string("renewed")), ("algorithmVersionBefore", .integer(earlier)),
              ("beats", .integer(beats)), ("gaps", .integer(gaps)),
            ]
          case .current: [("outcome", .string("unchanged"))]
          case .noCapture: [("outcome", .string("noCapture"))]
          case .incompleteCapture: [("outcome", .string("incompleteCapture"))]
          case .unreadableCapture(let error):
            [("outcome", .string("unreadableCapture")), ("reason", .string(error.description))]
          }
        let session = JSONValue.Member("session", .string(row.session.id.uuidString.lowercased()))
        return .object([session] + members.map { JSONValue.Member($0.0, $0.1) })
      })
  }

  private static func line(_ row: Row) -> String {
    let name = "session \(shortName(row.session))"
    return switch row.outcome {
    case .renewed(let earlier, let beats, let gaps):
      "\(name) renewed from algorithm \(earlier) to \(Rebuild.algorithmVersion): \(beats) beats, \(gaps) gaps"
    case .current: "\(name) is of the present algorithm already"
    case .noCapture: "\(name) has no kept capture and stays as it is"
    case .incompleteCapture(let notifications):
      "\(name) stays as it is: its kept capture has only \(notifications) of \(row.session.syncVersion) notifications"
    case .unreadableCapture(let error): "\(name) stays as it is: \(PrintableText.line(error.description))"
    }
  }

  private static func shortName(_ session: SessionSummary) -> String {
    String(session.id.uuidString.lowercased().prefix(8))
  }
}
