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

/// Parses signatures: their validity, and the end of a complete type.
enum SignatureParser {
  static let maximumBytes = 255
  static let maximumArrays = 32
  static let maximumStructs = 32

  /// Whether `code` is the type code of a value that is no container, and so may be a key of a dictionary.
  static func isBasic(_ code: UInt8) -> Bool {
    switch code {
    case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
      UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"),
      UInt8(ascii: "o"), UInt8(ascii: "g"), UInt8(ascii: "h"):
      true
    default: false
    }
  }

  static func check(_ text: String) throws(DBusError) {
    let bytes = text.utf8
    guard bytes.count <= maximumBytes else {
      throw DBusError(.invalid, "a signature has at most \(maximumBytes) bytes")
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      try skipType(&rest, arrays: 0, structs: 0)
    }
  }

  /// Returns the end of the first complete type of a valid signature.
  static func endOfFirstType(_ bytes: Substring.UTF8View) -> String.Index {
    var open = 0
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let code = bytes[index]
      index = bytes.index(after: index)
      switch code {
      case UInt8(ascii: "a"): continue
      case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
      default: break
      }
      if open == 0 { break }
    }
    return index
  }

  private static func skipType(_ rest: inout Substring.UTF8View, arrays: Int, structs: Int) throws(DBusError) {
    switch rest.popFirst() {
    case UInt8(ascii: "a"):
      guard arrays < maximumArrays else {
        throw DBusError(.nestedTooDeeply, "a signature nests at most \(maximumArrays) arrays")
      }
      if rest.first == UInt8(ascii: "{") {
        rest.removeFirst()
        guard let key = rest.popFirst(), isBasic(key) else {
          throw DBusError(.invalid, "a dictionary's key is of a basic type")
        }
        try skipType(&rest, arrays: arrays + 1, structs: structs)
        guard rest.popFirst() == UInt8(ascii: "}") else {
          throw DBusError(.invalid, "a dictionary's entry has one key and one value")
        }
      } else {
        try skipType(&rest, arrays: arrays + 1, structs: structs)
      }
    case UInt8(ascii: "("):
      guard structs < maximumStructs else {
        throw DBusError(.nestedTooDeeply, "a signature nests at most \(maximumStructs) structs")
      }
      repeat {
        try skipType(&rest, arrays: arrays, structs: structs + 1)
      } while !rest.isEmpty && rest.first != UInt8(ascii: ")")
      guard rest.popFirst() == UInt8(ascii: ")") else {
        throw DBusError(.invalid, "a struct in a signature is not closed")
      }
    case UInt8(ascii: "v"):
      break
    case let code? where isBasic(code):
      break
    case nil:
      throw DBusError(.invalid, "a signature ends in the middle of a type")
    default:
      throw DBusError(.invalid, "a signature holds a code that is no type")
    }
  }
}

/// libdbus's type codes. Its macros contain casts, so Swift does not import them.
enum TypeCode {
  static let invalid: Int32 = 0
  static let byte = code("y")
  static let boolean = code("b")
  static let int16 = code("n")
  static let uint16 = code("q")
  static let int32 = code("i")
  static let uint32 = code("u")
  static let int64 = code("x")
  static let uint64 = code("t")
  static let double = code("d")
  static let string = code("s")
  static let objectPath = code("o")
  static let signature = code("g")
  static let descriptor = code("h")
  static let array = code("a")
  static let variant = code("v")
  static let structure = code("r")
  static let dictionaryEntry = code("e")

  private static func code(_ letter: Unicode.Scalar) -> Int32 {
    Int32(UInt8(ascii: letter))
  }
}
