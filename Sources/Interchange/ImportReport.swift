internal import Documents
internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// The report on the import of one file.
struct ImportReport {
  /// The outcome for one session.
  struct Row {
    var session: RecordedSession
    let answer: ImportDestination.Answer
    let form: SessionForm

    init(_ session: RecordedSession, _ answer: ImportDestination.Answer) {
      self.session = session
      self.answer = answer
      form = SessionForm(session)
      // Values are in the store; a report has none.
      self.session.rates = []
      self.session.heartbeats = HeartbeatSeries()
    }

    /// The name by which commands know it.
    static func name(_ id: UUID) -> String { String(id.uuidString.lowercased().prefix(8)) }

    /// The outcome as a line for people.
    func text(isDry: Bool) -> String {
      let name = Self.name(session.id)
      let counts = [(form.rates, "rate"), (form.beats, "beat"), (session.gaps.count, "gap")].map(Count.of)
        .joined(separator: ", ")
      let twin = answer.twin.map {
        "; session \(Self.name($0)), which came in as text, has the same intervals: 'sensord delete \(Self.name($0))' if it is the same recording"
      }
      switch answer.outcome {
      case .stored: return "\(name) \(isDry ? "would be " : "")stored: \(counts)\(twin ?? "")"
      case .replaced: return "\(name) \(isDry ? "would replace" : "replaced") a form of itself that has less: \(counts)"
      case .unchanged:
        if answer.isOtherFormat, let original = answer.original {
          return "\(name) is known already as \(Self.name(original)), from another format; --again stores it, too"
        }
        guard let kept = answer.kept else {
          return "\(name) is known already\(answer.original.map { " as \(Self.name($0))" } ?? ""), nothing new"
        }
        return
          "\(name) stays as it is stored (\(kept.text)), which this form (\(form.text)) would not bring; to have this one, 'sensord delete \(name)' and import it with --restore"
      case .deletedBefore: return "\(name) was deleted before, nothing stored; --restore brings it back"
      }
    }
  }

  let file: String
  /// Whether nothing was written.
  let isDry: Bool
  var format: ForeignFormat? {
    didSet { formatName = format?.rawValue }
  }
  var formatName: String?
  /// The outcomes of Apple's export.
  var apple: AppleReport?
  var rows: [Row] = []
  /// The outcomes of workouts.
  var rides: [ImportedRideRow] = []
  var account = ReadingAccount()
  var damage: FileDamage?
  /// The reason for which nothing of the file came in.
  var failure: CommandFailure?
  /// Whether the failure's text has the file's name.
  var namesFile = false
  /// Whether this is a ZIP file whose files were reported before.
  var hasParts = false
  /// Sessions that `--since` left out.
  var tooOld = 0

  init(file: String, isDry: Bool) {
    (self.file, self.isDry) = (file, isDry)
  }

  /// Whether nothing was found, and nothing else reported.
  var isEmpty: Bool { rows.isEmpty && rides.isEmpty && damage == nil && tooOld == 0 }

  /// The lines for stderr.
  var errors: [String] {
    if let reason { return [namesFile ? reason : "\(file): \(reason)"] }
    guard let damage else { return [] }
    let isAny = hasParts || tooOld > 0 || !rows.isEmpty || !rides.isEmpty || apple.map { !$0.types.isEmpty } ?? false
    let kept =
      isAny
      ? "what is before it is kept" : "nothing came in before it: copy the file again from where it came from"
    return ["\(file): \(damage); \(kept)"]
  }

  /// The reason for which nothing of the file came in, with the remedy.
  private var reason: String? {
    failure.map { failure in failure.remedy.map { "\(failure.message); \($0)" } ?? failure.message }
  }

  var text: String {
    let name = PrintableText.line(file)
    if let apple { return apple.text(name, isDry: isDry) }
    var text = ""
    for row in rows { text += "\(name): session \(row.text(isDry: isDry))\n" }
    for ride in rides { text += "\(name): workout \(ride.text(isDry: isDry))\n" }
    if tooOld > 0 { text += "\(name): \(Count.of(tooOld, "session")) ended before --since\n" }
    if !account.leftOut.isEmpty {
      let kinds = account.leftOut.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      text += "\(name): left out: \(PrintableText.line(kinds))\n"
    }
    for note in account.notes { text += "\(name): \(PrintableText.line(note))\n" }
    return text
  }

  var json: JSONValue {
    if let apple {
      return .object(
        [JSONValue.Member("file", .string(file)), JSONValue.Member("format", .string(formatName))] + apple.json
          + [JSONValue.Member("damage", .string(damage?.description)), JSONValue.Member("failure", .string(reason))])
    }
    return [
      "file": .string(file), "format": .string(formatName),
      "sessions": .array(
        rows.map { row in
          [
            "session": .string(row.session.id.uuidString.lowercased()), "outcome": .string(row.answer.outcome.rawValue),
            "start": .string(row.session.start.iso8601()), "end": .string(row.session.end.iso8601()),
            "rates": .integer(row.form.rates), "beats": .integer(row.form.beats),
            "gaps": .integer(row.session.gaps.count),
            "copyOf": .string(row.answer.original?.uuidString.lowercased()),
            "keepsOther": .bool(row.answer.kept != nil),
            "sameIntervalsAs": .string(row.answer.twin?.uuidString.lowercased()),
          ]
        }),
      "workouts": .array(rides.map(\.json)), "endedBefore": .integer(tooOld),
      "leftOut": .object(
        account.leftOut.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .integer(Int64($0.value))) }),
      "notes": .array(account.notes.map { .string($0) }), "damage": .string(damage?.description),
      "failure": .string(reason),
    ]
  }
}

/// The reports on the files so far, and the code to exit with.
struct ImportAnswers {
  private let isJSON: Bool
  private var entries: [JSONValue] = []
  /// The greatest of the codes of all files; nil where everything came in.
  private(set) var status: ExitStatus?

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  /// Reports on a file. `isTold`: whether a failure is reported elsewhere.
  mutating func add(_ report: ImportReport, isTold: Bool = false) throws {
    if let failure = report.failure { fail(failure.status) }
    if report.damage != nil { fail(.badData) }
    if isJSON {
      entries.append(report.json)
    } else {
      try Output.write(Array(report.text.utf8))
    }
    guard !isTold else { return }
    for line in report.errors { Output.error("sensord: \(line)") }
  }

  func finish() throws {
    if isJSON { try Output.write(JSONValue.lines(entries)) }
  }

  private mutating func fail(_ code: ExitStatus) {
    if code.rawValue > status?.rawValue ?? 0 { status = code }
  }
}

/// The amount of a session that one form of the session has: a file may have rates, another beats, and each to its own resolution.
struct SessionForm: Hashable, Sendable {
  var rates: Int
  var beats: Int
  /// Ticks of a second in which beats are known.
  var timescale: Int32

  init(rates: Int, beats: Int, timescale: Int32) {
    (self.rates, self.beats, self.timescale) = (rates, beats, timescale)
  }

  init(_ session: RecordedSession) {
    self.init(
      rates: session.rates.count, beats: session.heartbeats.beats.count, timescale: session.heartbeats.timescale)
  }

  /// Whether something of it would be lost if the other took its place: values, or the resolution of as many beats.
  func hasMore(than other: SessionForm) -> Bool {
    rates > other.rates || beats > other.beats
      || beats > 0 && beats == other.beats && timescale > other.timescale
  }

  /// `3,458 rates, 5,021 beats to 1/1024 s`.
  var text: String {
    let ofBeats = beats > 0 ? " to 1/\(timescale) s" : ""
    return "\(Count.of(rates, "rate")), \(Count.of(beats, "beat"))\(ofBeats)"
  }
}

/// Numbers of things, for people.
enum Count {
  /// `1 gap`, `2 gaps`.
  static func of(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
