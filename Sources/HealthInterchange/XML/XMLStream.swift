internal import CExpat

/// XML in pieces, through expat behind the filter.
///
/// Nesting, tokens and names are limited; there is no document type, no entity but XML's own five, and nothing is loaded.
@safe final class XMLStream {
  static let mostDepth = 64

  private let parser: XML_Parser?
  private var filter = XMLFilter()
  private let contents: any XMLContents
  private var depth = 0
  private var isTooDeep = false
  private var isOver = false

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
    // Of an element without contents expat tells the end as well, when its beginning has stopped it.
    guard !isTooDeep else { return }
    depth -= 1
    contents.end(name)
  }

  /// Reads on.
  func read(_ bytes: [UInt8], isLast: Bool = false) throws(FileDamage) {
    guard !isOver else { return }
    let (filtered, isTooLong) = filter.filter(bytes)
    let status = unsafe filtered.withUnsafeBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        unsafe XML_Parse(parser, buffer.baseAddress, Int32(buffer.count), isLast ? 1 : 0)
      }
    }
    guard status == XML_STATUS_OK, !isTooLong else {
      isOver = true
      if isTooDeep { throw FileDamage(line, "elements are nested deeper than \(Self.mostDepth)") }
      if status == XML_STATUS_OK { throw FileDamage("line \(filter.lines)", "a token of more than 1 MiB") }
      let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
      throw FileDamage(line, reason ?? "it is no XML")
    }
  }

  /// The place of the damage, or of the last element.
  var byte: Int64 { unsafe Int64(XML_GetCurrentByteIndex(parser)) }

  /// The same in lines, for people.
  var line: String { unsafe "line \(XML_GetCurrentLineNumber(parser))" }
}
