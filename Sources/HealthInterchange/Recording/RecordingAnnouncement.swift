internal import HealthModel

/// A processing instruction in front of a recording in XML: of what it is a copy, and then who recorded that. Schemas and readers pass it over.
struct RecordingAnnouncement: Hashable {
  /// The name of the instruction.
  static let target = "sensord"

  var identity: RecordingIdentity
  /// The identifier of the source that recorded it, where that can stand here.
  var source: String?
  var version: String?

  /// Nil for any other instruction.
  init?(_ data: String) {
    // `session 3f2a91bc-… sensord 1.0`: the last is a version.
    let words = data.split(separator: " ")
    guard let identity = RecordingIdentity(words.prefix(2).joined(separator: " ")) else { return nil }
    self.identity = identity
    (source, version) = (words.dropFirst(2).first.map(String.init), words.count > 3 ? String(words[3]) : nil)
  }

  /// The whole instruction. Source and version are left out where they are not one word each.
  static func text(of recording: InterchangeRecording) -> String {
    let words = [recording.source.identifier, recording.source.version].prefix { word in
      word.map { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") } } ?? false
    }
    return "<?\(target) \(([recording.identity.text] + words.compactMap { $0 }).joined(separator: " "))?>"
  }
}
