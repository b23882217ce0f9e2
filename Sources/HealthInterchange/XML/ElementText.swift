/// The text of an element, which a parser hands over in pieces of any length.
///
/// No time, number or name is longer than it may be: what is longer is none, however it came.
struct ElementText {
  static let longest = 256

  /// Up to one byte more.
  private var bytes: [UInt8] = []

  mutating func append(_ piece: [UInt8]) {
    bytes += piece.prefix(Self.longest + 1 - bytes.count)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Its words with one blank between them; empty for a text that is too long.
  var words: String {
    guard bytes.count <= Self.longest else { return "" }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
