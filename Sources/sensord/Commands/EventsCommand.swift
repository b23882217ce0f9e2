import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import Ingestion
import Reports
import SeriesStore
import Support

/// `sensord events [SESSION]`: low and high heart rates and irregular rhythms. `sensord events --rescan [SESSION]`: looks for
/// them anew.
struct EventsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "List heart events, or look for them anew.",
    usage: """
      sensord events [<session>] [--kind <k>] [--from <t>] [--to <t>] [options]
             sensord events --rescan [<session>] [--config <file>] [options]
      """,
    discussion: """
      Ten minutes below or above a heart rate, and half an hour of an irregular
      rhythm. What is looked for is configured; a session's events are found when
      it ends. They are no diagnosis.
      With --rescan stored sessions are searched by the present settings: a second
      time adds nothing. Events of kinds that are switched off stay.

        sensord events --kind low --from 2026-11-01
        sensord events --rescan
      """)

  @Argument(help: "The first digits of a session's name, or last; all without.")
  var session: String?

  @Option(help: ArgumentHelp("Only these: low, high or irregular.", valueName: "k"), transform: Self.kind)
  var kind: HeartEvent.Kind?

  @Option(help: ArgumentHelp("Leave out what ended before, as in 2026-11-21T06:00.", valueName: "t"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what began then or later.", valueName: "t"))
  var to: String?

  @Flag(help: "Search stored sessions anew.")
  var rescan = false

  @OptionGroup var settings: ConfigurationOptions

  @OptionGroup var list: ListOptions

  func validate() throws {
    if rescan {
      guard kind == nil, from == nil, to == nil else {
        throw ValidationError("--kind, --from and --to do not go with --rescan")
      }
    } else if settings.path != nil {
      throw ValidationError("--config goes with --rescan")
    }
  }

  mutating func run() throws {
    guard rescan else { return try printList() }
    try EventScanReport(name: session, rules: settings.load().eventRules, store: list.store).write(list.json)
  }

  func listing() throws -> Listing {
    let predicate = try predicate()
    let name = session
    let catalogue = name == nil ? nil : try list.store.catalogue()
    let samples = try list.read { store async throws -> [HealthSample] in
      var parts = [predicate]
      if let name, let catalogue { parts.append(.session(try await catalogue.session(name).id)) }
      guard let store else { return [] }
      return try await SampleQuery(.and(parts)).result(for: store).value
    }
    return Listing(
      isEmpty: samples.isEmpty, json: { JSONValue.lines(samples.compactMap(\.heartEventJSON)) },
      rows: { Self.table(samples, columns: $0) },
      absence: "There are no such events. 'sensord events --rescan' searches what is stored.\n")
  }

  private func predicate() throws -> SamplePredicate {
    let time = try MomentText.predicate(from: from, to: to)
    let kinds = kind.map { [$0] } ?? HeartEvent.Kind.allCases
    return .and([.or(kinds.map { .type(.category($0.type)) }), time])
  }

  private static func kind(_ text: String) throws -> HeartEvent.Kind {
    guard let kind = HeartEvent.Kind(rawValue: text) else {
      throw ValidationError("a kind is low, high or irregular")
    }
    return kind
  }
}

/// The rows of `sensord events`.
extension EventsCommand {
  private static func table(_ samples: [HealthSample], columns: Int) -> String {
    var table = TextTable([
      .init("Start"), .init("Length", .right), .init("Event"), .init("Session"), .init("Source", shrinks: true),
    ])
    for sample in samples {
      guard let span = TimeSpan(start: sample.start, end: sample.end),
        let event = HeartEvent(sample.type, over: span, metadata: sample.metadata)
      else { continue }
      table.add([
        LocalTime.second(sample.start.microseconds), DurationText.clock(microseconds: span.microseconds), event.words,
        sample.session.map { String($0.uuidString.lowercased().prefix(8)) } ?? "", sample.source.identifier,
      ])
    }
    return table.rendered(columns: columns)
  }
}

extension HeartEvent {
  /// The event in a person's words.
  fileprivate var words: String {
    let limit = threshold.map { " \(FixedPoint.text($0, digits: 0))" }
    return switch kind {
    case .low: "rate below" + (limit ?? " the limit")
    case .high: "rate above" + (limit ?? " the limit")
    case .irregular: "irregular rhythm"
    }
  }
}

/// `sensord events --rescan [SESSION]`: searches stored sessions, and reports the changes of their events.
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

  /// Prints the report; throws where a session could not be searched.
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
    try damages.reportDamages()
  }
}
