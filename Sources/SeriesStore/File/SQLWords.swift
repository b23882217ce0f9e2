/// The words and signs of a text of SQL, as SQLite's tokenizer divides it; comments are left out.
///
/// No grammar is known here: a declaration that is not understood is refused.
struct SQLWords: Sequence, IteratorProtocol {
  enum Word: Hashable {
    /// A keyword or a name, in lower case as far as it is ASCII: SQLite compares both so.
    case bare(String)
    /// A name in `"…"`, `[…]` or a pair of grave accents, in lower case too.
    case quoted(String)
    /// A text in `'…'`, a blob or a number.
    case literal
    case sign(UInt8)

    /// A name, however it is written.
    var name: String? {
      switch self {
      case .bare(let name), .quoted(let name): name
      case .literal, .sign: nil
      }
    }

    static func sign(_ scalar: Unicode.Scalar) -> Word { .sign(UInt8(ascii: scalar)) }
  }

  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  mutating func next() -> Word? {
    skipSpaces()
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "'"):
      _ = quoted(until: first)
      return .literal
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(quoted(until: first))
    case UInt8(ascii: "["): return .quoted(quoted(until: UInt8(ascii: "]")))
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      _ = take { Self.isPartOfName($0) || $0 == UInt8(ascii: ".") }
      return .literal
    case _ where Self.isPartOfName(first): return .bare(Self.lowercased(take(Self.isPartOfName)))
    default:
      rest.removeFirst()
      return .sign(first)
    }
  }

  private mutating func skipSpaces() {
    while let first = rest.first {
      if first == UInt8(ascii: " ") || 9...13 ~= first {
        rest.removeFirst()
      } else if rest.starts(with: "--".utf8) {
        _ = take { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else {
        return
      }
    }
  }

  private mutating func take(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: belongs)
    rest = rest.dropFirst(taken.count)
    return taken
  }

  /// Takes the text between quotes; a quote that is doubled stands for itself.
  private mutating func quoted(until end: UInt8) -> String {
    rest.removeFirst()
    var content: ArraySlice<UInt8> = []
    while let byte = rest.popFirst() {
      if byte == end {
        guard end != UInt8(ascii: "]"), rest.first == end else { break }
        rest.removeFirst()
      }
      content.append(byte)
    }
    return Self.lowercased(content)
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  /// A name as SQLite compares it.
  static func lowercased(_ name: String) -> String { lowercased(Array(name.utf8)[...]) }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
