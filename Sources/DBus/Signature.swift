/// The types of a sequence of values, as D-Bus writes them: `s`, `a{sv}`, `(oya{sas})`, `ss`, or nothing.
///
/// Source: D-Bus Specification, "Type System". At most 255 bytes, 32 arrays and 32 structs inside each other.
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let text: String

  /// Validates `text`.
  ///
  /// - Throws: ``DBusError/Code/invalid`` or, for nesting over the limit, ``DBusError/Code/nestedTooDeeply``.
  public init(_ text: String) throws(DBusError) {
    try SignatureParser.check(text)
    self.text = text
  }

  /// For signatures written in the source; an invalid one is a programming error and ends the program.
  public init(stringLiteral text: StaticString) {
    let text = text.description
    precondition((try? SignatureParser.check(text)) != nil, "not a D-Bus signature")
    self.text = text
  }

  /// For text that is known to be valid: from libdbus, or composed of valid parts.
  init(trusted text: String) {
    self.text = text
  }

  /// The signature cut into single complete types: `sa{sv}` is `s` and `a{sv}`.
  public var types: [Signature] {
    var types: [Signature] = []
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let end = SignatureParser.endOfFirstType(rest)
      types.append(Signature(trusted: String(Substring(rest[..<end]))))
      rest = rest[end...]
    }
    return types
  }

  /// Whether this is exactly one complete type, as required for the elements of an array.
  public var isSingleType: Bool {
    let bytes = text.utf8[...]
    return !bytes.isEmpty && SignatureParser.endOfFirstType(bytes) == bytes.endIndex
  }

  public var description: String { text }
}
