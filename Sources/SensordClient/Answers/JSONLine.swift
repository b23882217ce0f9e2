import FoundationEssentials

/// A line of an answer as a JSON document.
enum JSONLine {
  /// - Throws: ``ClientError/unreadable``.
  static func decode<Line: Decodable>(_ line: some Sequence<UInt8>) throws(ClientError) -> Line {
    do {
      return try JSONDecoder().decode(Line.self, from: Data(line))
    } catch {
      throw .unreadable
    }
  }

  /// The lines without their ends.
  static func split(_ lines: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    lines.split(separator: UInt8(ascii: "\n"))
  }
}
