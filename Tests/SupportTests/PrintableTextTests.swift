import Support
import Testing

@Suite("PrintableText")
struct PrintableTextTests {
  @Test("ordinary text in any script stays as it is", arguments: ["Polar H10 A1B2", "Герц", "心拍計", "Brust 💓", "é", ""])
  func plain(text: String) {
    #expect(PrintableText.line(text) == text)
  }

  @Test(
    "what a terminal would act upon is shown as a placeholder",
    arguments: [
      ("\u{1B}[2J", "�[2J"), ("a\nb", "a�b"), ("a\rb", "a�b"), ("\u{9B}31m", "�31m"), ("\u{7F}", "�"), ("\u{0}", "�"),
      ("\u{202E}gnp.exe", "�gnp.exe"), ("\u{2066}x\u{2069}", "�x�"), ("a\u{200B}b", "a�b"), ("a\u{2028}b", "a�b"),
      ("\u{FEFF}x", "�x"), ("\u{E0041}", "�"), ("\u{E000}", "�"), ("\u{61C}x", "�x"),
    ])
  func dangerous(text: String, shown: String) {
    #expect(PrintableText.line(text) == shown)
  }

  @Test("bytes that are no UTF-8 show as placeholders")
  func invalid() {
    #expect(PrintableText.line(String(decoding: [0x41, 0xFF, 0x42] as [UInt8], as: UTF8.self)) == "A�B")
  }

  @Test("text that is too long is cut, and says so")
  func cut() {
    #expect(PrintableText.line("abcdefgh", columns: 8) == "abcdefgh")
    #expect(PrintableText.line("abcdefghi", columns: 8) == "abcdefg…")
    #expect(PrintableText.line(String(repeating: "x", count: 248), columns: 10) == "xxxxxxxxx…")
    #expect(PrintableText.line("a\nbcd", most: 5) == "a�bcd" && PrintableText.line("a\nbcde", most: 4) == "a�bc…")
  }

  @Test("wide characters count as two columns and are never cut in half")
  func wide() {
    #expect(PrintableText.width(of: "心拍") == 4)
    #expect(PrintableText.width(of: "e\u{301}") == 1)
    #expect(PrintableText.line("心拍計計", columns: 6) == "心拍…")
  }
}
