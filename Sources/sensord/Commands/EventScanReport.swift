internal import Documents
internal import Recordings
internal import Ingestion
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord events --rescan [SESSION]`: searches stored sessions, and reports what became of their events.
struct EventScanReport {
  private var sessions = 0
  private var total = EventRenewal()
  private var damages: [String] = []

  /// Searches the session that `name` means, or all for nil. A damaged session keeps no other from being searched.
  init(name: String?, rules: HeartEventRules, store: StoreOptions) throws {
    let writer = try store.openToWrite(making: false)
    let scan = EventScan(in: writer, by: rules)
    self = try CommandLoop.run {
      var report = EventScanReport()
      let found: [SessionSummary]
      if let name {
        found = [try await writer.session(name)]
      } else {
        let (readable, damages) = try await writer.readableSessions()
        report.damages = damages.map { "\($0)" }
        found = readable
      }
      for (index, session) in found.enumerated() {
        Progress.show("searching \(index + 1) of \(found.count)")
        do throws(StoreError) {
          report.add(try await scan.scan(session))
        } catch {
          guard case .corrupt = error.code else { throw error }
          report.damages.append(error.message)
        }
      }
      Progress.clear()
      return report
    }
  }

  private init() {}

  private mutating func add(_ renewal: EventRenewal) {
    sessions += 1
    total.added += renewal.added
    total.removed += renewal.removed
    total.kept += renewal.kept
  }

  /// Prints it; throws where a session could not be searched.
  func write(_ json: Bool) throws {
    if json {
      let document: JSONValue = [
        "sessions": .integer(sessions), "added": .integer(total.added), "removed": .integer(total.removed),
        "kept": .integer(total.kept),
      ]
      try StandardOutput.write(document.text + "\n")
    } else {
      let searched = "\(sessions) session\(sessions == 1 ? "" : "s") searched"
      try StandardOutput.write(
        "\(searched): \(total.added) events added, \(total.removed) removed, \(total.kept) kept\n")
    }
    for damage in damages { StandardError.write("sensord: \(PrintableText.line(damage))\n") }
    guard damages.isEmpty else { throw EarlierReport(status: .badData) }
  }
}
