import HealthModel
import Testing

@testable import HealthInterchange

@Suite("XML of strangers")
struct XMLTests {
  private func filtered(_ text: String, pieces: Int) -> String {
    var filter = XMLFilter()
    var bytes: [UInt8] = []
    let all = Array(text.utf8)
    for place in stride(from: 0, to: all.count, by: pieces) {
      bytes += filter.filter(Array(all[place..<min(place + pieces, all.count)])).bytes
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func document(_ head: String, _ body: String = "") -> [UInt8] {
    let text = """
      \(head)<TrainingCenterDatabase><Activities><Activity><Lap><Track><Trackpoint>\(body)\
      <Time>2026-03-01T07:14:22Z</Time><HeartRateBpm><Value>60</Value></HeartRateBpm></Trackpoint>\
      </Track></Lap></Activity></Activities></TrainingCenterDatabase>
      """
    return Array(text.utf8)
  }

  @Test("a document type is dropped, with what is in it, and lines stay lines", arguments: [1, 3, 1000])
  func documentType(pieces: Int) {
    let text =
      "<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE a [\n<!-- it's ]> -->\n<!ENTITY b \"]>\">\n]>\n<a>x</a>"
    let left = filtered(text, pieces: pieces)
    #expect(left.count == text.count)
    #expect(
      left.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        == "<?xml version='1.0'?> <!-- a > b --> <a>x</a>")
    #expect(left.split(separator: "\n", omittingEmptySubsequences: false).count == 7)
  }

  @Test("an entity bomb is an undefined entity, and what is before it stays")
  func bomb() throws {
    let head = "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;\">]>"
    let sound = try Reading(document(head), .tcx)
    #expect(sound.damage == nil)
    #expect(sound.sessions.first?.rates.count == 1)
    let used = try Reading(document(head, "<Notes>&lol2;</Notes>"), .tcx)
    #expect(used.damage == FileDamage("line 1", "undefined entity"))
  }

  @Test("control characters are no error")
  func control() throws {
    #expect(try Reading(document("", "<Notes a='\u{0B}'>\u{01}</Notes>"), .tcx).damage == nil)
  }

  @Test("blanks and a byte order mark before the declaration are no error, and places stay", arguments: [1, 64])
  func before(pieces: Int) throws {
    let declaration = "<?xml version='1.0' encoding='UTF-8'?>"
    for head in ["\n\n  ", "\u{FEFF}", "\u{FEFF}\r\n\t", " \n\u{FEFF}"] {
      let reading = try Reading(document(head + declaration), .tcx, pieces: pieces)
      #expect(reading.damage == nil && reading.sessions.first?.rates.count == 1, "\(head.utf8.count) bytes")
      let apple = AppleReading(AppleText.rate(60), head: head + declaration, pieces: pieces)
      #expect(apple.damage == nil && apple.values(.heartRate) == [60])
    }
    let wrong = "\n \n\(declaration)<HealthData><Record></Me></HealthData>"
    let damage = AppleReading(Array(wrong.utf8), pieces: pieces).damage
    #expect(damage?.place == "byte \(wrong.utf8.count - "Me></HealthData>".utf8.count), record 1 in Record")
    #expect(try Reading(Array("\n\n<a></b>".utf8), .tcx, pieces: pieces).damage?.place == "line 3")
    let cut = try Reading(document(declaration).dropLast(4), .tcx, pieces: pieces).damage
    #expect(cut == FileDamage("line 1", "the file ends here, before its last element"))
  }

  @Test("each control character becomes a blank, wherever it stands, and no other byte changes")
  func blanks() {
    let around = Array("a\u{E9}\u{20AC}\u{7F} 1234567".utf8)
    for byte in UInt8.min...UInt8.max {
      for length in 1...20 {
        for place in 0..<length {
          var bytes = (0..<length).map { around[$0 % around.count] }
          bytes[place] = byte
          let isPlain = byte >= 0x20 || [0x09, 0x0A, 0x0D].contains(byte)
          var expected = bytes
          if !isPlain { expected[place] = 0x20 }
          #expect(bytes.blankControls() == (byte == 0x0A ? 1 : 0))
          #expect(bytes == expected, "\(byte) at \(place) of \(length)")
        }
      }
    }
  }

  @Test("nesting of ten thousand, and a token of more than a mebibyte, are refused")
  func limits() throws {
    let deep = String(repeating: "<a>", count: 10_000)
    #expect(try Reading(document("", deep), .tcx).damage == FileDamage("line 1", "elements are nested deeper than 64"))
    let long = "<a b='" + String(repeating: "x", count: 3 << 20)
    #expect(
      try Reading(document("", long), .tcx, pieces: 65_536).damage == FileDamage("line 1", "a token of more than 1 MiB")
    )
  }
}
