import Testing

@testable import Captures

@Suite("Text in a record")
struct QuotedTextTests {
  @Test("whatever a peripheral calls itself comes back as it was", arguments: Samples.hostile)
  func roundTrip(text: String) throws {
    var bytes: [UInt8] = []
    QuotedText.append(text, to: &bytes)
    let read = try #require(QuotedText.read(bytes[...]))
    #expect(read.text == text)
    #expect(read.rest.isEmpty)
  }

  @Test("nothing but printable ASCII is written", arguments: Samples.hostile)
  func printable(text: String) {
    var bytes: [UInt8] = []
    QuotedText.append(text, to: &bytes)
    #expect(bytes.allSatisfy { (0x20...0x7E).contains($0) })
  }

  @Test(
    "text that nothing writes is refused",
    arguments: [
      "", "\"", "a\"", "\"\\", "\"\\\"", "\"\\x41\"", "\"\\u41\"", "\"\\u{}\"", "\"\\u{110000}\"", "\"\\u{d800}\"",
      "\"\\u{1234567}\"", "\"\\u{4g}\"", "\"\\u{41\"", "\"é\"", "\"\u{1}\"",
    ])
  func refused(text: String) {
    #expect(QuotedText.read(Array(text.utf8)[...]) == nil)
  }
}
