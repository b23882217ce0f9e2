import Support
import Testing

@Suite("JSONValue")
struct JSONValueTests {
  @Test("members keep the order in which they were written")
  func order() {
    let value: JSONValue = ["zulu": .integer(1), "alpha": .bool(true), "mike": .null]
    #expect(value.text == #"{"zulu":1,"alpha":true,"mike":null}"#)
  }

  @Test(
    "numbers have the fewest digits that read back the same",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (62.0, "62"), (0.1, "0.1"), (599.448, "599.448"), (1.0 / 3.0, "0.3333333333333333"),
      (-12.5, "-12.5"), (1e300, "1e+300"), (9007199254740993.0, "9007199254740992.0"),
    ])
  func numbers(value: Double, text: String) throws {
    #expect(JSONValue.number(value).text == text)
    #expect(Double(text) == value)
  }

  @Test("what is no finite number is null", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(value: Double) {
    #expect(JSONValue.number(value).text == "null")
  }

  @Test("an unknown value is null")
  func unknown() {
    #expect(JSONValue.integer(nil as Int?).text == "null")
    #expect(JSONValue.string(nil as String?).text == "null")
    #expect(JSONValue.number(nil as Double?).text == "null")
    #expect(JSONValue.bool(nil as Bool?).text == "null")
  }

  @Test("quotes, backslashes and line feeds are escaped, other letters are not")
  func escapes() {
    #expect(JSONValue.string("a\"b\\c\nd\te\rf/é😀").text == #""a\"b\\c\nd\te\rf/é😀""#)
  }

  @Test(
    "what a terminal would act upon is written as an escape",
    arguments: [
      ("\u{1B}[2J", #""\u001b[2J""#), ("\u{9B}31m", #""\u009b31m""#), ("\u{202E}abc", #""\u202eabc""#),
      ("\u{0}", #""\u0000""#), ("\u{7F}", #""\u007f""#), ("\u{E0041}", #""\udb40\udc41""#),
    ])
  func dangerous(text: String, json: String) {
    #expect(JSONValue.string(text).text == json)
  }

  @Test("a list has one element on a line and is still one array")
  func lines() {
    #expect(String(decoding: JSONValue.lines([]), as: UTF8.self) == "[]\n")
    #expect(
      String(decoding: JSONValue.lines([.integer(1), ["a": .null]]), as: UTF8.self) == "[\n1,\n{\"a\":null}\n]\n")
  }

  @Test(
    "numbers get leading zeros, and keep every digit that they have",
    arguments: [
      (0, 1, "0"), (0, 3, "000"), (7, 2, "07"), (99, 2, "99"), (100, 2, "100"), (999_999, 6, "999999"), (-5, 2, "-05"),
      (Int.max, 1, "9223372036854775807"), (Int.min, 1, "-9223372036854775808"),
      (1_000_000_000_000_000_000, 1, "1000000000000000000"),
      (999_999_999_999_999_999, 1, "999999999999999999"),
    ])
  func digits(value: Int, digits: Int, text: String) {
    var bytes: [UInt8] = []
    bytes.append(decimal: value, digits: digits)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }
}
