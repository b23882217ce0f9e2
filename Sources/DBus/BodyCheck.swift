/// Checks values against their types and computes their size before libdbus gets them. An invalid value would end the
/// process in libdbus, or the connection at the bus.
///
/// Source: D-Bus Specification, "Marshaling".
struct BodyCheck {
  /// The maximum number of containers around one value, variants included.
  static let maximumDepth = 64
  static let maximumArrayBytes = 1 << 26
  /// The most descriptors that a bus passes with one message in its default configuration.
  static let maximumDescriptors = 16

  /// Bytes of the marshalled body so far.
  private(set) var size = 0
  private(set) var descriptors = 0

  /// Checks a whole body.
  mutating func check(_ values: [Value]) throws(DBusError) {
    var signatureBytes = 0
    for value in values {
      let type = try value.type
      signatureBytes += type.text.utf8.count
      guard signatureBytes <= SignatureParser.maximumBytes else {
        throw DBusError(.invalid, "the signature of a message has at most \(SignatureParser.maximumBytes) bytes")
      }
      try check(value, type)
    }
  }

  private mutating func check(_ value: Value, _ type: Signature) throws(DBusError) {
    var rest = type.text.utf8[...]
    try check(value, &rest, depth: 0)
  }

  /// Checks `value` against the first type of `type` and removes that type.
  private mutating func check(
    _ value: Value, _ type: inout Substring.UTF8View, depth: Int
  ) throws(DBusError) {
    switch (value, type.popFirst()) {
    case (.byte, UInt8(ascii: "y")): try add(1)
    case (.int16, UInt8(ascii: "n")), (.uint16, UInt8(ascii: "q")): try add(2)
    case (.boolean, UInt8(ascii: "b")), (.int32, UInt8(ascii: "i")), (.uint32, UInt8(ascii: "u")): try add(4)
    case (.int64, UInt8(ascii: "x")), (.uint64, UInt8(ascii: "t")), (.double, UInt8(ascii: "d")): try add(8)
    case (.string(let text), UInt8(ascii: "s")):
      guard !text.utf8.contains(0) else { throw DBusError(.invalid, "a string contains U+0000") }
      try add(4)
      try add(text.utf8.count + 1, alignment: 1)
    case (.objectPath(let path), UInt8(ascii: "o")):
      try add(4)
      try add(path.text.utf8.count + 1, alignment: 1)
    case (.signature(let signature), UInt8(ascii: "g")):
      try add(signature.text.utf8.count + 2, alignment: 1)
    case (.descriptor, UInt8(ascii: "h")):
      descriptors += 1
      guard descriptors <= Self.maximumDescriptors else {
        throw DBusError(.tooLarge, "a message passes at most \(Self.maximumDescriptors) descriptors")
      }
      try add(4)
    case (.variant(let inner), UInt8(ascii: "v")):
      let inside = try Self.enter(depth)
      let innerType = try inner.type
      try add(innerType.text.utf8.count + 2, alignment: 1)
      var rest = innerType.text.utf8[...]
      try check(inner, &rest, depth: inside)
    case (.structure(let fields), UInt8(ascii: "(")):
      let inside = try Self.enter(depth)
      try add(0, alignment: 8)
      for field in fields {
        guard type.first != UInt8(ascii: ")") else { throw Self.mismatch }
        try check(field, &type, depth: inside)
      }
      guard type.popFirst() == UInt8(ascii: ")") else { throw Self.mismatch }
    case (_, UInt8(ascii: "a")):
      try checkArray(value, &type, depth: depth)
    default:
      throw Self.mismatch
    }
  }

  private mutating func checkArray(
    _ value: Value, _ type: inout Substring.UTF8View, depth: Int
  ) throws(DBusError) {
    let inside = try Self.enter(depth)
    let end = SignatureParser.endOfFirstType(type)
    let elementType = type[..<end]
    type = type[end...]
    try add(4)
    try add(0, alignment: Self.alignment(of: elementType.first))
    let start = size
    switch value {
    case .bytes(let bytes) where elementType.elementsEqual(CollectionOfOne(UInt8(ascii: "y"))):
      try add(bytes.count, alignment: 1)
    case .array(let elements, of: let declared) where elementType.elementsEqual(declared.text.utf8):
      for element in elements {
        var rest = elementType
        try check(element, &rest, depth: inside)
      }
    case .dictionary(let dictionary)
    where elementType.dropFirst().dropLast().elementsEqual(dictionary.entrySignature.text.utf8):
      let insideEntry = try Self.enter(inside)
      for entry in dictionary.entries {
        try add(0, alignment: 8)
        var rest = dictionary.entrySignature.text.utf8[...]
        try check(entry.key, &rest, depth: insideEntry)
        try check(entry.value, &rest, depth: insideEntry)
      }
    default:
      throw Self.mismatch
    }
    guard size - start <= Self.maximumArrayBytes else {
      throw DBusError(.tooLarge, "an array has at most \(Self.maximumArrayBytes) bytes")
    }
  }

  private mutating func add(_ bytes: Int, alignment: Int? = nil) throws(DBusError) {
    let alignment = alignment ?? bytes
    size = (size + alignment - 1) / alignment * alignment + bytes
    guard size <= Message.maximumBytes else {
      throw DBusError(.tooLarge, "a message has at most \(Message.maximumBytes) bytes")
    }
  }

  private static func enter(_ depth: Int) throws(DBusError) -> Int {
    guard depth < maximumDepth else {
      throw DBusError(.nestedTooDeeply, "a value stands in at most \(maximumDepth) containers")
    }
    return depth + 1
  }

  private static func alignment(of code: UInt8?) -> Int {
    switch code {
    case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
    default: 4
    }
  }

  private static let mismatch = DBusError(.invalid, "a value is not of the type that its container declares")
}
