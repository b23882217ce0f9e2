internal import Documents
internal import Recordings
internal import Captures
internal import FoundationEssentials
internal import Ingestion
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord replay --rebuild [SESSION]`: renews stored sessions, and reports what became of each.
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
