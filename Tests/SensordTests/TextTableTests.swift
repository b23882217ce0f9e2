import Support
import Testing

@testable import sensord

@Suite("TextTable")
struct TextTableTests {
  @Test("columns stand under their titles, numbers to the right")
  func alignment() {
    var table = TextTable([.init("Name"), .init("Beats", .right)])
    table.add(["Strap", "7"])
    table.add(["A", "12345"])
    #expect(table.rendered() == "Name   Beats\nStrap      7\nA      12345\n")
  }

  @Test("a table that is too wide shrinks the column that may")
  func shrinking() {
    var table = TextTable([.init("Name", shrinks: true), .init("Address")])
    table.add([String(repeating: "n", count: 200), "C0:FF:EE:00:00:01"])
    let lines = table.rendered(columns: 40).split(separator: "\n")
    #expect(lines.allSatisfy { PrintableText.width(of: String($0)) <= 40 })
    #expect(lines[1].contains("…  C0:FF:EE:00:00:01"))
  }

  @Test("a name cannot forge a row or move the cursor")
  func forging() {
    var table = TextTable([.init("Name"), .init("Beats")])
    table.add(["x\n\u{1B}[1Ay", "1"])
    #expect(table.rendered() == "Name     Beats\nx��[1Ay  1\n")
    #expect(!table.rendered().contains("\u{1B}"))
  }

  @Test("wide characters keep the columns straight")
  func wide() {
    var table = TextTable([.init("Name"), .init("Beats")])
    table.add(["心拍計", "1"])
    table.add(["abcdef", "2"])
    #expect(table.rendered() == "Name    Beats\n心拍計  1\nabcdef  2\n")
  }
}

@Suite("DurationText")
struct DurationTextTests {
  @Test(
    "two units at most",
    arguments: [
      (0, "0 s", "0:00"), (59_999_999, "59 s", "0:59"), (60_000_000, "1 min 00 s", "1:00"),
      (725_000_000, "12 min 05 s", "12:05"), (11_241_000_000, "3 h 07 min", "3:07:21"),
      (187_200_000_000, "2 d 04 h", "52:00:00"), (-5, "0 s", "0:00"),
    ] as [(Int64, String, String)])
  func lengths(microseconds: Int64, text: String, clock: String) {
    #expect(DurationText.text(microseconds: microseconds) == text)
    #expect(DurationText.clock(microseconds: microseconds) == clock)
  }
}

@Suite("FixedPoint")
struct FixedPointTests {
  @Test(
    "numbers are rounded to the digits that are shown",
    arguments: [
      (0.0, 1, "0.0"), (0.05, 1, "0.1"), (99.96, 1, "100.0"), (-0.04, 1, "0.0"), (-1.26, 1, "-1.3"), (62.5, 0, "63"),
      (1.0005, 3, "1.001"), (.nan, 1, "?"), (.infinity, 1, "?"), (1e300, 1, "?"),
    ])
  func rounding(value: Double, digits: Int, text: String) {
    #expect(FixedPoint.text(value, digits: digits) == text)
  }
}
