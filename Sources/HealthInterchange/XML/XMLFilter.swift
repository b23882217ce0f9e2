/// Filters a stranger's XML for expat: no DOCTYPE, so no entities of its own; no control characters, which some exporters
/// write; no token above a mebibyte, for which expat needs seconds.
///
/// A byte stays a byte: what is dropped is replaced by blanks, and lines stay lines. Only blanks and a mark before all else are left out.
struct XMLFilter {
  private enum State {
    /// Before the first byte that is neither blank nor of a byte order mark: an XML declaration has to be the first thing.
    case beginning
    /// Before the first element.
    case prolog
    /// Behind a `<` of which it is not known yet what it begins: it is held back.
    case markup
    case comment
    case instruction
    case documentType
    case content
  }

  static let longestToken = 1 << 20

  private var state = State.beginning
  private var held: [UInt8] = []
  private var brackets = 0
  private var quote: UInt8?
  private var isInComment = false
  private var sinceMarkup = 0
  /// The last four bytes.
  private var last: UInt32 = 0
  private(set) var lines = 1
  /// The bytes and lines before the beginning that the parser does not get.
  private(set) var skipped = (bytes: 0, lines: 0)

  /// The bytes for the parser, and whether a token was too long: then the bytes are those before the token.
  mutating func filter(_ bytes: [UInt8]) -> (bytes: [UInt8], isTooLong: Bool) {
    guard state != .content || bytes.count > Self.longestToken else { return filterContent(bytes) }
    var filtered: [UInt8] = []
    filtered.reserveCapacity(bytes.count + held.count)
    for (place, byte) in bytes.enumerated() {
      if state == .content, bytes.count - place <= Self.longestToken {
        let (rest, isTooLong) = filterContent(Array(bytes[place...]))
        return (filtered + rest, isTooLong)
      }
      if byte == 0x0A { lines += 1 }
      sinceMarkup = byte == UInt8(ascii: "<") ? 0 : sinceMarkup + 1
      guard sinceMarkup <= Self.longestToken else { return (filtered, true) }
      let plain = byte < 0x20 && !Self.isBlank(byte) ? 0x20 : byte
      if state == .content { filtered.append(plain) } else { step(plain, into: &filtered) }
    }
    return (filtered, false)
  }

  /// The same behind the prolog, for at most as many bytes as a token may have: then a token can only be too long if it began
  /// before them.
  private mutating func filterContent(_ bytes: [UInt8]) -> (bytes: [UInt8], isTooLong: Bool) {
    let first = bytes.firstPlace(of: UInt8(ascii: "<"))
    if sinceMarkup + first > Self.longestToken {
      return (Array(bytes[..<max(0, Self.longestToken - sinceMarkup)]), true)
    }
    if first == bytes.count {
      sinceMarkup += bytes.count
    } else {
      sinceMarkup = bytes.count - 1 - (bytes.lastIndex(of: UInt8(ascii: "<")) ?? 0)
    }
    var filtered = bytes
    lines += filtered.blankControls()
    return (filtered, false)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

  private mutating func step(_ byte: UInt8, into filtered: inout [UInt8]) {
    last = last << 8 | UInt32(byte)
    switch state {
    case .beginning where Self.isBlank(byte) || [0x20, 0xEF, 0xBB, 0xBF].contains(byte):
      skipped.bytes += 1
      if byte == 0x0A { skipped.lines += 1 }
    case .beginning, .prolog:
      state = .prolog
      if byte == UInt8(ascii: "<") {
        (state, held) = (.markup, [byte])
      } else {
        filtered.append(byte)
      }
    case .markup:
      held.append(byte)
      classify()
      guard state != .markup else { return }
      filtered += state == .documentType ? held.map(Self.dropped) : held
      held = []
    case .comment:
      filtered.append(byte)
      if last & 0xFF_FFFF == 0x2D_2D3E { state = .prolog }
    case .instruction:
      filtered.append(byte)
      if last & 0xFFFF == 0x3F3E { state = .prolog }
    case .documentType:
      filtered.append(Self.dropped(byte))
      skip(byte)
    case .content: filtered.append(byte)
    }
  }

  private static func dropped(_ byte: UInt8) -> UInt8 { isBlank(byte) ? byte : 0x20 }

  private mutating func classify() {
    if held == Array("<!--".utf8) {
      state = .comment
      last = 0
    } else if held == Array("<?".utf8) {
      state = .instruction
    } else if held == Array("<!D".utf8) {
      (state, brackets, quote, isInComment) = (.documentType, 0, nil, false)
    } else if !Array("<!--".utf8).starts(with: held) {
      state = .content
    }
  }

  private mutating func skip(_ byte: UInt8) {
    if isInComment {
      if last & 0xFF_FFFF == 0x2D_2D3E { isInComment = false }
    } else if last == 0x3C21_2D2D {
      isInComment = true
      last = 0
    } else if let open = quote {
      if byte == open { quote = nil }
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      quote = byte
    } else if byte == UInt8(ascii: "[") {
      brackets += 1
    } else if byte == UInt8(ascii: "]") {
      brackets -= 1
    } else if byte == UInt8(ascii: ">"), brackets <= 0 {
      state = .prolog
    }
  }
}
