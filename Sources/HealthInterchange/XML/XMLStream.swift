internal import CExpat

/// XML in pieces, through expat behind the filter.
///
/// Nesting, tokens and names are limited; there is no document type, no entity but XML's own five, and nothing is loaded.
/// Elements that need no parser never reach expat where the contents say so.
@safe final class XMLStream {
  static let mostDepth = 64

  private let parser: XML_Parser?
  private var filter = XMLFilter()
  private let contents: any XMLContents
  private var depth = 0
  private var isTooDeep = false
  private var isOver = false
  private var plain = PlainElements()
  /// Whether the document's encoding lets a byte be what it is in UTF-8.
  private var isUTF8 = true
  private var isInCDATA = false
  /// The number of bytes that expat has seen.
  private var given: Int64 = 0
  private var shortestPart = 0
  /// The bytes and lines that expat did not see.
  private var skipped: (bytes: Int64, lines: Int) = (0, 0)

  init(_ contents: any XMLContents) {
    self.contents = contents
    unsafe parser = XML_ParserCreate(nil)
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let user = unsafe user, let name = unsafe name else { return }
        unsafe XMLStream.stream(user).begin(XMLElement(name, attributes))
      },
      { user, name in
        guard let user = unsafe user, let name = unsafe name else { return }
        unsafe XMLStream.stream(user).end(XMLElement.local(name))
      })
    unsafe XML_SetProcessingInstructionHandler(parser) { user, target, data in
      guard let user = unsafe user, let target = unsafe target, let data = unsafe data else { return }
      unsafe XMLStream.stream(user).contents.instruction(String(cString: target), String(cString: data))
    }
    if type(of: contents).takesPlainElements { watchForPlainElements() }
    guard type(of: contents).hasTexts else { return }
    unsafe XML_SetCharacterDataHandler(parser) { user, text, count in
      guard let user = unsafe user, let text = unsafe text else { return }
      let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(count)).map { UInt8(bitPattern: $0) }
      unsafe XMLStream.stream(user).contents.text(bytes)
    }
  }

  deinit {
    unsafe XML_ParserFree(parser)
  }

  private static func stream(_ user: UnsafeMutableRawPointer) -> XMLStream {
    unsafe Unmanaged<XMLStream>.fromOpaque(user).takeUnretainedValue()
  }

  private func begin(_ element: XMLElement) {
    depth += 1
    guard depth <= Self.mostDepth else {
      isTooDeep = true
      unsafe XML_StopParser(parser, XML_Bool(0))
      return
    }
    contents.begin(element)
  }

  private func end(_ name: String) {
    // Expat reports the end of an element without contents even when the beginning has stopped the parser.
    guard !isTooDeep else { return }
    depth -= 1
    contents.end(name)
  }

  /// Reads on.
  func read(_ bytes: [UInt8], isLast: Bool = false) throws(FileDamage) {
    guard !isOver else { return }
    var (filtered, isTooLong) = filter.filter(bytes)
    var place = 0
    var isRead = true
    repeat {
      if isBetweenElements { readPlain(&filtered, &place) }
      let end = mayBePlain ? endOfPart(filtered, from: place) : filtered.count
      isRead = parse(filtered, place..<end, isLast: isLast && end == filtered.count)
      place = end
    } while isRead && place < filtered.count
    guard isRead, !isTooLong else {
      isOver = true
      if isTooDeep { throw FileDamage(line, "elements are nested deeper than \(Self.mostDepth)") }
      if isRead { throw FileDamage("line \(filter.lines)", "a token of more than 1 MiB") }
      // Expat's words for a file that was cut off are for who knows its grammar.
      let code = unsafe XML_GetErrorCode(parser)
      if isLast, [XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR].contains(code) {
        throw FileDamage(line, "the file ends here, before its last element")
      }
      let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) }
      throw FileDamage(line, reason ?? "it is no XML")
    }
  }

  private func parse(_ bytes: [UInt8], _ range: Range<Int>, isLast: Bool) -> Bool {
    given += Int64(range.count)
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.extracting(range).withMemoryRebound(to: CChar.self) { part in
        unsafe XML_Parse(parser, part.baseAddress, Int32(part.count), isLast ? 1 : 0) == XML_STATUS_OK
      }
    }
  }

  // MARK: Plain elements

  private func watchForPlainElements() {
    unsafe XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
      guard let user = unsafe user, let encoding = unsafe encoding else { return }
      unsafe XMLStream.stream(user).isUTF8 = ["utf-8", "us-ascii"].contains(String(cString: encoding).lowercased())
    }
    unsafe XML_SetCdataSectionHandler(
      parser, { user in if let user = unsafe user { unsafe XMLStream.stream(user).isInCDATA = true } },
      { user in if let user = unsafe user { unsafe XMLStream.stream(user).isInCDATA = false } })
  }

  private var mayBePlain: Bool { isUTF8 && type(of: contents).takesPlainElements }

  /// Whether expat has seen the end of each token that has begun.
  private var isBetweenTokens: Bool { unsafe XML_GetCurrentByteIndex(parser) == given }

  /// Whether elements begin here that are those of the root.
  private var isBetweenElements: Bool { mayBePlain && depth == 1 && !isInCDATA && isBetweenTokens }

  /// The end of the next part for expat: the end of the line, to find out soon where there are plain elements again. Within a token the
  /// part grows each time, for expat begins with the token anew each time.
  private func endOfPart(_ bytes: [UInt8], from place: Int) -> Int {
    shortestPart = isBetweenTokens ? 0 : min(max(512, shortestPart * 2), XMLFilter.longestToken)
    let least = min(place + shortestPart, bytes.count)
    return min(bytes.firstPlace(of: 0x0A, from: least) + 1, bytes.count)
  }

  private func readPlain(_ bytes: inout [UInt8], _ place: inout Int) {
    let before = place
    skipped.lines += unsafe plain.read(
      &bytes, from: &place, mostDepth: Self.mostDepth - depth, begin: begin, end: { unsafe end(XMLElement.local($0)) })
    skipped.bytes += Int64(place - before)
  }

  /// The place of the damage, or of the last element that needed the parser.
  var byte: Int64 { unsafe Int64(XML_GetCurrentByteIndex(parser)) + skipped.bytes + Int64(filter.skipped.bytes) }

  /// The place of the damage as a line, for people.
  var line: String {
    unsafe "line \(Int(XML_GetCurrentLineNumber(parser)) + skipped.lines + filter.skipped.lines)"
  }
}

/// The reader of an XML file's meaning: receives elements and texts as they come. Names have no prefix.
protocol XMLContents: AnyObject {
  /// Whether ``text(_:)`` is to be called.
  static var hasTexts: Bool { get }
  /// Whether elements that need no parser may come without it, quicker: for contents that want no texts, and do not ask in which line
  /// an element is.
  static var takesPlainElements: Bool { get }
  func begin(_ element: XMLElement)
  func end(_ name: String)
  /// A processing instruction.
  func instruction(_ target: String, _ data: String)
  /// A part of a text.
  func text(_ bytes: [UInt8])
}

extension XMLContents {
  static var hasTexts: Bool { true }
  static var takesPlainElements: Bool { false }
  func instruction(_ target: String, _ data: String) {}
  func text(_ bytes: [UInt8]) {}
}
