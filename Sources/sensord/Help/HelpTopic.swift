/// What `sensord help TOPIC` explains: what belongs to no single command. Each is a manual page of section 7, too (`Scripts/manuals`).
enum HelpTopic: String, CaseIterable {
  case sensors
  case gaps
  case privacy
  case configuration
  case files
  case formats
  case exitCodes = "exit-codes"

  /// What it is about, in one line, as a manual page has it beside its name.
  var abstract: String {
    switch self {
    case .sensors: "how a strap is found, added, worn and recorded"
    case .gaps: "what is missing in a recording, and how that is marked"
    case .privacy: "who may read what is recorded, and how to delete it"
    case .configuration: "the settings, and where they stand"
    case .files: "which files there are, and what to keep"
    case .formats: "files of other programs, out and in"
    case .exitCodes: "what a command ends with"
    }
  }

  /// All of it, as it is printed: at most 80 columns, without a line feed at the end.
  var page: String { "\(rawValue): \(abstract)\n\n\(text)" }

  /// All topics, a line each.
  static var list: String {
    "Topics of 'sensord help':\n\n" + allCases.map { "  \(padded($0.rawValue, to: 16))\($0.abstract)\n" }.joined()
      + "\n'sensord help COMMAND' has the options of a command; 'sensord --help' lists them."
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
  }
}
