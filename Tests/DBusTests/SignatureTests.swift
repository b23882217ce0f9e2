import DBus
import Testing

@Suite("Signature")
struct SignatureTests {
  @Test(
    "what the specification allows is accepted",
    arguments: [
      "", "y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "h", "v", "as", "aas", "a{sv}", "(s)", "((s)s)",
      "a{s(ii)}", "a{oa{sa{sv}}}", "a(ya{tv})", "sssuuv", "a{yh}",
    ])
  func valid(text: String) throws {
    #expect(try Signature(text).text == text)
  }

  @Test(
    "what it does not allow is refused",
    arguments: [
      "a", "aa", "(", ")", "()", "a()", "(s", "s)", "{sv}", "a{sv", "a{s}", "a{svs}", "a{vs}", "a{(s)s}", "a{ass}", "e",
      "r", "z", "a{}", "sa", "1", " ", "é", "s\0",
    ])
  func invalid(text: String) {
    #expect(throws: DBusError.self) { try Signature(text) }
  }

  @Test("32 arrays and 32 structs may nest, one more may not")
  func nesting() throws {
    let arrays = String(repeating: "a", count: 32)
    let structs = String(repeating: "(", count: 32)
    let ends = String(repeating: ")", count: 32)
    _ = try Signature("\(arrays)\(structs)y\(ends)")
    for text in ["\(arrays)ay", "(\(structs)y\(ends))"] {
      let error = #expect(throws: DBusError.self) { try Signature(text) }
      #expect(error?.code == .nestedTooDeeply)
    }
  }

  @Test("255 bytes are a signature, 256 are not")
  func length() throws {
    _ = try Signature(String(repeating: "y", count: 255))
    #expect(throws: DBusError.self) { try Signature(String(repeating: "y", count: 256)) }
  }

  @Test("a signature is cut into its single complete types")
  func types() throws {
    #expect(Signature("sa{sv}(ii)aayv").types.map(\.text) == ["s", "a{sv}", "(ii)", "aay", "v"])
    #expect(Signature("").types.isEmpty)
    #expect(Signature("a{sv}").isSingleType)
    #expect(!Signature("ss").isSingleType)
    #expect(!Signature("").isSingleType)
  }
}
