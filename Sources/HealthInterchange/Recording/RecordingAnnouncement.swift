internal import HealthModel

/// A processing instruction in front of a recording in XML: of what it is a copy, and then who recorded that. Schemas and readers pass it over.
struct RecordingAnnouncement: Hashable {
  /// The name of the instruction.
  static let target = "sensord"
  /// What an instruction says in front of a rate before which others were lost.
  static let gap = "gap"

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
    (source, version) = (words.count > 2 ? Self.decoded(words[2]) : nil, words.count > 3 ? Self.decoded(words[3]) : nil)
  }

  /// The whole instruction. Source and version are one word each: other letters stand as percent and two digits (RFC 3986, 2.1).
  static func text(of recording: InterchangeRecording) -> String {
    let words = [recording.source.identifier, recording.source.version].prefix { $0.map { !$0.isEmpty } ?? false }
    return
      "<?\(target) \(([recording.identity.text] + words.compactMap { $0.map(encoded) }).joined(separator: " "))?>"
  }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7F, !"?%<>".utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What is no code stays as it is.
  private static func decoded(_ word: Substring) -> String {
    let bytes = Array(word.utf8)
    func digit(at place: Int) -> UInt8? {
      place < bytes.count ? Character(UnicodeScalar(bytes[place])).hexDigitValue.map { UInt8($0) } : nil
    }
    var decoded: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "%"), let high = digit(at: place + 1), let low = digit(at: place + 2) {
        decoded.append(high << 4 | low)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
