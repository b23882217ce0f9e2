internal import Documents

/// Why a command gives up, as one line for a person: what failed, why, and what to do about it.
///
/// Errors of the libraries become one of these at the root, once, in ``CommandFailure/init(classifying:)``. Health
/// data never stand in one.
struct CommandFailure: Error, Hashable {
  var status: ExitStatus
  /// What failed and why, without a full stop at the end.
  var message: String
  /// What the reader can do, as a command or a short clause.
  var remedy: String?

  init(_ status: ExitStatus, _ message: String, remedy: String? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
  }

  /// The line for stderr, safe for a terminal whatever file names and devices put into it.
  var line: String {
    let text = remedy.map { "\(message); \($0)" } ?? message
    return "sensord: \(PrintableText.line(text))"
  }
}
