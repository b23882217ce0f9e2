internal import Documents
internal import StoreCommands

/// What one check of `sensord doctor` found.
struct Finding: Hashable, Sendable {
  enum Result: Hashable, Sendable {
    case passed(String)
    /// What is wrong, what to do about it, and the code that the command ends with.
    case failed(String, remedy: String, status: ExitStatus)
    /// Could not be looked at, since an earlier check failed, or does not apply.
    case skipped(String)
  }

  /// What was looked at: `message bus`.
  var title: String
  var result: Result

  /// The finding for a person, the remedy on a line of its own.
  var text: String {
    let label = title + String(repeating: " ", count: max(1, 16 - title.count))
    return switch result {
    case .passed(let detail): "✓ \(label)\(PrintableText.line(detail))\n"
    case .failed(let cause, let remedy, _):
      "✗ \(label)\(PrintableText.line(cause))\n    → \(PrintableText.line(remedy))\n"
    case .skipped(let reason): "- \(label)\(PrintableText.line(reason))\n"
    }
  }

  /// The code of the first check that failed; success where none did.
  static func status(_ findings: [Finding]) -> ExitStatus {
    for finding in findings {
      if case .failed(_, _, let status) = finding.result { return status }
    }
    return .success
  }
}
