internal import Documents
internal import StoreCommands

/// What was said of the files so far, and the code to exit with.
struct ImportAnswers {
  private let isJSON: Bool
  private var entries: [JSONValue] = []
  /// The greatest of the codes of all files; nil where everything came in.
  private(set) var status: ExitStatus?

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  /// Says what became of a file. `isTold`: why there is nothing of it is said elsewhere.
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
