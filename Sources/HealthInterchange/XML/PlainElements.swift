internal import CExpat

/// Elements that need no parser: whole in a piece, with attributes in double quotes, no entities but XML's own five, and nothing but
/// blanks between them. Of a large export nearly all are such, and they are found in a third of expat's time. What is not plain, damage
/// included, is left to expat.
@safe struct PlainElements {
  /// A tag that was found, by places in the piece. An empty element has one.
  private struct Tag {
    var name: Range<Int>
    var attributes: Range<Int>
    var begins = true
    var ends = false
  }

  private static let mostAttributes = 32

  private var tags: [Tag] = []
  /// Names and values by turns.
  private var attributes: [Range<Int>] = []
  /// Values in which entities have to be replaced.
  private var referring: [Range<Int>] = []
  private var open: [Range<Int>] = []
  private var pointers: [UnsafePointer<XML_Char>?] = unsafe []

  /// Reads plain elements from a place on, up to what is not plain or not whole.
  ///
  /// - Parameters:
  ///   - bytes: A piece of a document in UTF-8, without control characters; names and values become what they stand for, with a zero
  ///     behind them.
  ///   - place: Where contents of an element begin that is open. Becomes the place behind the last plain element.
  ///   - mostDepth: How deep elements may be nested.
  ///   - begin: Receives each element.
  ///   - end: Receives the name of each element that ends.
  /// - Returns: The ends of lines that were passed.
  mutating func read(
    _ bytes: inout [UInt8], from place: inout Int, mostDepth: Int, begin: (XMLElement) -> Void,
    end: (UnsafePointer<XML_Char>) -> Void
  ) -> Int {
    var lines = 0
    bytes.span.skipBlanks(&place, &lines)
    while let (next, passed) = unsafe bytes.withUnsafeBufferPointer({ find(unsafe $0.span, from: place, mostDepth) }) {
      unsafe tell(&bytes, begin, end)
      place = next
      lines += passed
      // Blanks are never looked at twice.
      bytes.span.skipBlanks(&place, &lines)
    }
    return lines
  }

  // MARK: Finding

  /// The place behind a plain element and the lines up to there, its tags in `tags`; nil where no plain element stands.
  private mutating func find(_ bytes: Span<UInt8>, from start: Int, _ mostDepth: Int) -> (next: Int, lines: Int)? {
    tags.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    referring.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    var (place, lines) = (start, 0)
    repeat {
      bytes.skipBlanks(&place, &lines)
      guard place + 1 < bytes.count, bytes[place] == UInt8(ascii: "<") else { return nil }
      place += 1
      if bytes[place] == UInt8(ascii: "/") {
        place += 1
        guard let begun = open.popLast(), let name = Self.name(bytes, &place), place < bytes.count,
          bytes[place] == UInt8(ascii: ">"), Self.isSame(bytes, begun, name)
        else { return nil }
        place += 1
        tags.append(Tag(name: name, attributes: 0..<0, begins: false, ends: true))
      } else {
        guard open.count < mostDepth, let tag = beginTag(bytes, &place, &lines) else { return nil }
        if !tag.ends { open.append(tag.name) }
        tags.append(tag)
      }
    } while !open.isEmpty
    return (place, lines)
  }

  /// A tag behind its `<`, and the place behind its `>`.
  private mutating func beginTag(_ bytes: Span<UInt8>, _ place: inout Int, _ lines: inout Int) -> Tag? {
    guard let name = Self.name(bytes, &place) else { return nil }
    let first = attributes.count
    while true {
      let before = place
      bytes.skipBlanks(&place, &lines)
      guard place + 1 < bytes.count else { return nil }
      if bytes[place] == UInt8(ascii: ">") {
        place += 1
        return Tag(name: name, attributes: first..<attributes.count)
      }
      if bytes[place] == UInt8(ascii: "/") {
        guard bytes[place + 1] == UInt8(ascii: ">") else { return nil }
        place += 2
        return Tag(name: name, attributes: first..<attributes.count, ends: true)
      }
      guard place > before, attributes.count - first < 2 * Self.mostAttributes, let key = Self.name(bytes, &place),
        place + 1 < bytes.count, bytes[place] == UInt8(ascii: "="), bytes[place + 1] == UInt8(ascii: "\"")
      else { return nil }
      for other in stride(from: first, to: attributes.count, by: 2) {
        guard !Self.isSame(bytes, attributes[other], key) else { return nil }
      }
      place += 2
      let (count, hasReferences) = Self.plainCount(bytes, from: place)
      let value = place..<(place + count)
      place = value.upperBound
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
      place += 1
      attributes.append(key)
      attributes.append(value)
      if hasReferences { referring.append(value) }
    }
  }

  /// A name of ASCII's letters and digits without a prefix.
  private static func name(_ bytes: Span<UInt8>, _ place: inout Int) -> Range<Int>? {
    let start = place
    while place < bytes.count {
      switch bytes[place] {
      case 0x41...0x5A, 0x61...0x7A, 0x5F: break
      case 0x30...0x39 where place > start: break
      default: return place > start ? start..<place : nil
      }
      place += 1
    }
    return nil
  }

  private static func isSame(_ bytes: Span<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
    guard one.count == other.count else { return false }
    for (one, other) in zip(one, other) where bytes[one] != bytes[other] { return false }
    return true
  }

  /// The number of plain bytes of a value, and whether there are entities among these bytes.
  private static func plainCount(_ bytes: Span<UInt8>, from place: Int) -> (count: Int, hasReferences: Bool) {
    var references: CInt = 0
    let count = unsafe bytes.withUnsafeBytes {
      unsafe cexpat_plain_count($0.baseAddress?.advanced(by: place), $0.count - place, &references)
    }
    return (count, references != 0)
  }

  // MARK: Telling

  /// Replaces the entities of a value, and returns how many bytes are left.
  private static func resolve(_ bytes: inout [UInt8], _ text: Range<Int>) -> Int {
    unsafe bytes.withUnsafeMutableBytes { bytes in
      let text = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[text])
      return unsafe cexpat_resolve(text.baseAddress, text.count)
    }
  }

  private mutating func tell(
    _ bytes: inout [UInt8], _ begin: (XMLElement) -> Void, _ end: (UnsafePointer<XML_Char>) -> Void
  ) {
    for tag in tags { bytes[tag.name.upperBound] = 0 }
    for text in attributes { bytes[text.upperBound] = 0 }
    for text in referring { bytes[text.lowerBound + Self.resolve(&bytes, text)] = 0 }
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: XML_Char.self) else { return }
      for tag in tags {
        let name = unsafe base + tag.name.lowerBound
        if tag.begins {
          unsafe pointers.removeAll(keepingCapacity: true)
          for text in attributes[tag.attributes] { unsafe pointers.append(base + text.lowerBound) }
          unsafe pointers.append(nil)
          unsafe pointers.withUnsafeMutableBufferPointer { unsafe begin(XMLElement(name, $0.baseAddress)) }
        }
        if tag.ends { unsafe end(name) }
      }
    }
  }
}

extension Span<UInt8> {
  fileprivate func skipBlanks(_ place: inout Int, _ lines: inout Int) {
    while place < count {
      switch self[place] {
      case 0x0A: lines += 1
      case 0x20, 0x09, 0x0D: break
      default: return
      }
      place += 1
    }
  }
}
