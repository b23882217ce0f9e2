internal import Bits
package import FoundationEssentials
package import HealthModel

/// The session or workout from which a file was written, and which the file therefore copies.
///
/// By this identity an exported recording is recognized again, in its own store and in any other store.
package enum RecordingIdentity: Hashable, Sendable {
  case session(UUID)
  /// A workout: the file has the values recorded meanwhile, which are no session of their own.
  case workout(UUID)

  /// The text in formats that have texts: `session 3f2a91bc-…`.
  package var text: String {
    switch self {
    case .session(let id): "session \(id.uuidString.lowercased())"
    case .workout(let id): "workout \(id.uuidString.lowercased())"
    }
  }

  /// Reads a text of ``text``; nil for any other text.
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
  /// The program that made the recording which a file copies, as the file names it; nil for a name that no file may claim: the names of
  /// programs that save for themselves are reserved.
  init?(saidToHaveRecorded identifier: String, name: String?, version: String?) {
    let kind = identifier.prefix { $0 != "." }
    guard identifier == FITWriter.program || ForeignFormat(rawValue: String(kind)) != nil else { return nil }
    self.init(identifier: identifier, name: name ?? identifier, version: version)
  }
}

/// A processing instruction in front of a recording in XML: of what it is a copy, and then who recorded that. Schemas and readers pass it over.
struct RecordingAnnouncement: Hashable {
  /// The name of the instruction.
  static let target = "sensord"
  /// The content of an instruction in front of a rate before which other rates were lost.
  static let gap = "gap"

  var identity: RecordingIdentity
  /// The identifier of the source that recorded it, where that can stand here.
  var source: String?
  var version: String?

  /// Reads the data of an instruction; nil for any other instruction.
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

  /// Decodes percent codes; a percent sign without two digits stays.
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

/// An import by a format that has intervals, and no place for an identity: a copy is recognized by its intervals.
package struct IntervalCopy: Sendable {
  /// The intervals of the file, in milliseconds.
  private let intervals: [UInt32]
  private let format: ForeignFormat

  /// Fewer intervals have to be all that there are: these could begin like another heart's.
  package static let fewest = 32

  /// Nil for formats that have an identity.
  package init?(_ heartbeats: HeartbeatSeries, _ format: ForeignFormat) {
    // Files written by this program have whole milliseconds.
    guard format == .rr || format == .hrvlogger, heartbeats.timescale == 1000 else { return nil }
    intervals = heartbeats.beats.filter { !$0.flags.contains(.firstOfRun) }.map(\.rrTicks)
    self.format = format
  }

  /// Whether they are all of one length.
  package var isUniform: Bool { intervals.allSatisfy { $0 == intervals.first } }

  /// Whether they are what would be written of `recording`, or the beginning of it: a session that was still being recorded was shorter.
  package func isCopy(of recording: InterchangeRecording) -> Bool {
    var place = 0
    for beat in MeasuredBeats(recording, followsClock: format == .hrvlogger) {
      guard let interval = beat.interval else { continue }
      // The reader of text leaves such intervals out.
      if format == .rr, interval < IntervalLimits.leastMilliseconds || interval > IntervalLimits.mostMilliseconds {
        continue
      }
      guard place < intervals.count else { return place >= Self.fewest }
      guard Int64(intervals[place]) == interval else { return false }
      place += 1
    }
    return place > 0 && place == intervals.count
  }
}

extension UUID {
  /// The UUID of a text, always the same: the SHA-256 in a UUID whose bits are the maker's own (RFC 9562, version 8).
  init(madeOf text: String) {
    var digest = SHA256()
    digest.add(Array(text.utf8)[...])
    var bytes = digest.digest()
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
