internal import CExpat

/// An element as it begins, as expat has it: it is valid until `begin` returns.
@safe struct XMLElement {
  private let rawName: UnsafePointer<XML_Char>
  private let rawAttributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

  init(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
    unsafe rawName = name
    unsafe rawAttributes = attributes
  }

  /// Without its prefix.
  var name: String { unsafe Self.local(rawName) }

  /// Whether it has that name and no prefix; quicker than ``name``.
  func isName(_ name: StaticString) -> Bool { unsafe XMLName(rawName).isName(name) }

  /// The value of an attribute, whatever its prefix.
  subscript(_ wanted: String) -> String? {
    guard var next = unsafe rawAttributes else { return nil }
    while let name = unsafe next[0], let value = unsafe next[1] {
      if unsafe Self.local(name) == wanted { return unsafe String(cString: value) }
      unsafe next += 2
    }
    return nil
  }

  /// Every attribute, as bytes.
  func forEachAttribute(_ body: (_ name: XMLName, _ value: XMLBytes) -> Void) {
    guard var next = unsafe rawAttributes else { return }
    while let name = unsafe next[0], let value = unsafe next[1] {
      body(unsafe XMLName(name), unsafe XMLBytes(value))
      unsafe next += 2
    }
  }

  /// A name without its prefix.
  static func local(_ text: UnsafePointer<XML_Char>) -> String {
    let name = unsafe String(cString: text)
    guard unsafe cexpat_has_colon(text) != 0, let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else {
      return name
    }
    return String(name[name.index(after: colon)...])
  }
}

/// An attribute's name as expat has it, valid as long as its element.
@safe struct XMLName {
  private let base: UnsafePointer<XML_Char>

  init(_ text: UnsafePointer<XML_Char>) {
    unsafe base = text
  }

  var first: UInt8 { unsafe UInt8(bitPattern: base[0]) }

  func isName(_ name: StaticString) -> Bool { unsafe cexpat_is(base, name.utf8Start) != 0 }
}

/// A text of expat's, valid as long as its element.
@safe struct XMLBytes {
  private let base: UnsafeRawPointer
  let count: Int

  init(_ text: UnsafePointer<XML_Char>) {
    unsafe base = UnsafeRawPointer(text)
    count = unsafe cexpat_length(text)
  }

  subscript(_ place: Int) -> UInt8 {
    precondition(place >= 0 && place < count)
    return unsafe base.load(fromByteOffset: place, as: UInt8.self)
  }

  /// Appends it, or a part of it, to bytes.
  func append(_ part: Range<Int>? = nil, to bytes: inout [UInt8]) {
    let part = part ?? 0..<count
    precondition(part.lowerBound >= 0 && part.upperBound <= count)
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: base + part.lowerBound, count: part.count))
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension [UInt8] {
  /// The first place of a byte from a place on, or the number of bytes.
  func firstPlace(of byte: UInt8, from start: Int = 0) -> Int {
    precondition(start >= 0 && start <= count)
    return unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe start + Int(cexpat_first(base + start, CInt(byte), bytes.count - start))
    }
  }

  /// Replaces control characters that XML cannot have by blanks. Returns how many ends of lines there are.
  mutating func blankControls() -> Int {
    unsafe withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe Int(cexpat_blank_controls(base, bytes.count))
    }
  }

  /// Whether both are the same; quicker than comparing one by one.
  func isSame(as other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        guard let one = one.baseAddress, let two = other.baseAddress else { return true }
        return unsafe cexpat_same(one, two, other.count) != 0
      }
    }
  }
}

/// The text of an element, which a parser hands over in pieces of any length.
///
/// A longer text is no time, number or name, in however many pieces it came, and counts as empty.
struct ElementText {
  static let longest = 256

  /// Up to one byte more.
  private var bytes: [UInt8] = []

  mutating func append(_ piece: [UInt8]) {
    bytes += piece.prefix(Self.longest + 1 - bytes.count)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Its words with one blank between them; empty for a text that is too long.
  var words: String {
    guard bytes.count <= Self.longest else { return "" }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
