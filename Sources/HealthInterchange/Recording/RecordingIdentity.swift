package import FoundationEssentials
internal import HealthModel

/// Of what a file is a copy: the session or workout from which it was written.
///
/// It is how an exported recording is known again, in the store that has it and in any other one.
package enum RecordingIdentity: Hashable, Sendable {
  case session(UUID)
  /// A workout: the file has what was recorded meanwhile, which is no session of its own.
  case workout(UUID)

  /// `session 3f2a91bc-…`: how formats that have texts say it.
  package var text: String {
    switch self {
    case .session(let id): "session \(id.uuidString.lowercased())"
    case .workout(let id): "workout \(id.uuidString.lowercased())"
    }
  }

  /// Nil for any other text.
  package init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 2, let id = UUID(uuidString: String(words[1])) else { return nil }
    switch words[0] {
    case "session": self = .session(id)
    case "workout": self = .workout(id)
    default: return nil
    }
  }
}

extension SourceRevision {
  /// Who recorded what a file is a copy of, as the file says it; nil where that can be none: programs that save for themselves keep
  /// their names for themselves.
  init?(saidToHaveRecorded identifier: String, name: String?, version: String?) {
    let kind = identifier.prefix { $0 != "." }
    guard identifier == FITWriter.program || ForeignFormat(rawValue: String(kind)) != nil else { return nil }
    self.init(identifier: identifier, name: name ?? identifier, version: version)
  }
}
