import Testing

@testable import HealthInterchange

/// What a document says: its elements, or where it is damaged.
private struct Told: Hashable {
  var events: [String] = []
  var damage: FileDamage?
  var byte: Int64?

  init(_ document: [UInt8], _ contents: any EventContents, pieces: Int) {
    let stream = XMLStream(contents)
    do throws(FileDamage) {
      for place in stride(from: 0, to: document.count, by: pieces) {
        try stream.read(Array(document[place..<min(place + pieces, document.count)]))
      }
      try stream.read([], isLast: true)
    } catch {
      (damage, byte) = (error, stream.byte)
    }
    events = contents.events
  }

  /// As it is with elements that never reach the parser.
  static func plain(_ document: [UInt8], pieces: Int) -> Told { Told(document, PlainEvents(), pieces: pieces) }
  /// As the parser alone has it.
  static func parsed(_ document: [UInt8], pieces: Int) -> Told { Told(document, ParsedEvents(), pieces: pieces) }
}

private protocol EventContents: XMLContents {
  var events: [String] { get set }
}

extension EventContents {
  func begin(_ element: XMLElement) {
    var text = element.name
    element.forEachAttribute { name, value in
      let key = ["a", "b", "c"].first { name.first == $0.utf8.first } ?? "?"
      text += " \(key)=\(value.bytes)"
    }
    events.append(text)
  }
  func end(_ name: String) { events.append("/\(name)") }
  func instruction(_ target: String, _ data: String) { events.append("?\(target) \(data)") }
}

private final class PlainEvents: EventContents {
  static let takesPlainElements = true
  var events: [String] = []
}

private final class ParsedEvents: EventContents {
  var events: [String] = []
}

@Suite("Elements that need no parser")
struct PlainElementsTests {
  /// Where reading ends of the contents of a root.
  private func end(of body: String) -> (rest: String, lines: Int) {
    var bytes = Array(body.utf8)
    var place = 0
    var plain = PlainElements()
    let lines = unsafe plain.read(&bytes, from: &place, mostDepth: 63, begin: { _ in }, end: { _ in })
    return (String(decoding: bytes[place...], as: UTF8.self), lines)
  }

  @Test(
    "plain elements are read",
    arguments: [
      "<a/>", "<a />", "<a></a>", "<a a=\"\"/>", "\n <a a=\"1\" b='2'/>".replacing("'", with: "\""),
      "<a a=\"Anna\u{2019}s \u{A0}\u{1F493}\"/>", "<a a=\"&lt;&gt;&amp;&quot;&apos;'>\"/>",
      "<a a=\"1\"\n\tb=\"2\"><b/> <c a=\"1\"> </c>\n</a>",
    ])
  func plain(body: String) {
    #expect(end(of: body + "\n ").rest.isEmpty)
    #expect(end(of: body + "\n ").lines == body.count { $0 == "\n" } + 1)
    #expect(end(of: body + "<b x='").rest == "<b x='")
  }

  @Test(
    "anything else is left to the parser, whole",
    arguments: [
      "<a a='1'/>", "<a a =\"1\"/>", "<a a= \"1\"/>", "<a a=\"1\"b=\"2\"/>", "<a a=\"1\" a=\"2\"/>", "<a a=\"<\"/>",
      "<a a=\"&#10;\"/>", "<a a=\"&b;\"/>", "<a a=\"&lt\"/>", "<a a=\"\t\"/>", "<a a=\"\n\"/>", "<a>1</a>",
      "<a><!-- --></a>", "<a><![CDATA[]]></a>", "<a><?b c?></a>", "<!-- <a/> -->", "<?a?>", "<x:a/>", "<a x:b=\"1\"/>",
      "<a-b/>", "<1/>", "</a>", "<a></b>", "<a><b></a></b>", "<a><b></a>", "<a", "<a>", "<a/", "<a a=\"", "<a a=\"1\"",
      "<a/ >", "< a/>", "<a a/>", "<a \u{E9}=\"1\"/>", "<a a=\"\u{FFFE}\"/>", "<a a=\"\u{FFFF}\"/>", "x", "&amp;",
    ])
  func other(body: String) {
    #expect(end(of: "<b/>" + body).rest == body)
  }

  @Test("deeper than elements may be nested, they are left to the parser")
  func deep() {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(end(of: nested(63)).rest.isEmpty)
    #expect(end(of: nested(64)).rest == nested(64))
  }

  @Test("of each sequence of bytes the parser says the same: as a value, it is refused or stays what it is")
  func encodings() {
    let middle: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBD, 0xBE, 0xC0]
    for first in [0x22, 0x26, 0x3C, 0x41, 0x7F, 0x80, 0xBF] + Array(UInt8(0xC0)...0xFF) {
      for second in middle {
        for third in middle {
          for rest: [UInt8] in [[], [0x80]] {
            let bytes = Array("<r><a a=\"".utf8) + [first, second, third] + rest + Array("\"/></r>".utf8)
            let plain = Told.plain(bytes, pieces: 4096)
            let parsed = Told.parsed(bytes, pieces: 4096)
            #expect(plain == parsed, "\(first) \(second) \(third) \(rest)")
          }
        }
      }
    }
  }

  static let documents = [
    "<r>\n<a a=\"1\"/>\n<a a=\"2\">\n <b b=\"&lt;&#60;\"/>\n</a>\n<a a=\"3\"/>\n</r>\n",
    "<r><a/><!-- <a/>\n<a/>\n --><a/>\n<![CDATA[\n<b/>\n]]>\n<c/>\n<![CDATA[<b/>]]>\n<c/></r>",
    "<r>\n<a>text ]] &amp; <b/></a>\n<?p q?>\n<b/>\n</r>",
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><r>\n<a a=\"\u{E9}\"/>\n</r>",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><!DOCTYPE r [<!ENTITY b \"c\">]>\n<r>\n<a a=\"\u{E9}\"/>\n</r>",
    "<r>\n<a a=\"1\"/>\n<a a=\"1\" a=\"2\"/>\n<b/></r>",
    "<r>\n<a a=\"1\"/>\n\n<a a=\"\u{FFFF}\"/>\n<b/></r>",
    "<r>\n<a a=\"1\"/>\n<a><b></a></b>\n<b/></r>",
    "<r>\n<a a=\"1\"/>\n]]>\n<b/></r>",
    "<r>\n<a a=\"1\"/>\n&b;\n<b/></r>",
    "<r>\n<a/>\n</r>\n<a/>\n",
    "<r>\n<a/>\n<b c=\"1\"/><c",
    "<r>\r\n<a\r\na=\"1\"\r\n/>\r\n<b/>\r\n</r>\r\n",
    "<r><a\n" + String(repeating: " \n", count: 3000) + "a='1'/>\n<b/></r>",
    "<r>" + String(repeating: "<a>", count: 70),
  ]

  @Test("a document says the same with and without the parser, in pieces of any size", arguments: documents)
  func same(text: String) {
    let bytes = Array(text.utf8)
    let parsed = Told.parsed(bytes, pieces: bytes.count)
    for pieces in [1, 2, 3, 7, 20, 64, bytes.count] {
      #expect(Told.plain(bytes, pieces: pieces) == Told.parsed(bytes, pieces: pieces), "pieces of \(pieces)")
      #expect(Told.plain(bytes, pieces: pieces).events == parsed.events)
    }
  }
}
