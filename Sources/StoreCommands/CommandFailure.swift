internal import Documents

/// Why a command gives up, as one line for a person: what failed, why, and what to do about it.
///
/// Errors of the libraries become one of these at the root of each program, once. Health data never stand in one.
package struct CommandFailure: Error, Hashable, Sendable {
  package var status: ExitStatus
  /// What failed and why, without a full stop at the end.
  package var message: String
  /// What the reader can do, as a command or a short clause.
  package var remedy: String?

  package init(_ status: ExitStatus, _ message: String, remedy: String? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
  }

  /// The line for stderr, safe for a terminal whatever file names and devices put into it.
  package var line: String {
    let text = remedy.map { "\(message); \($0)" } ?? message
    return "sensord: \(PrintableText.line(text))"
  }
}
