/// A D-Bus value of any type.
///
/// Arrays keep their element type, so that an empty array is sent as it was received.
/// Source: D-Bus Specification, "Type System".
public enum Value: Hashable, Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`: any Unicode text without U+0000.
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(Signature)
  /// `h`: an open file passed along with the message.
  case descriptor(SharedDescriptor)
  /// `ay`: every array of bytes, copied as a whole.
  case bytes([UInt8])
  /// `a` and a single complete type other than a byte or a dictionary's entry.
  case array([Value], of: Signature)
  /// `a{` key and value `}`
  case dictionary(DictionaryValue)
  /// `(…)`: at least one field.
  case structure([Value])
  /// `v`: a value with its type.
  indirect case variant(Value)
}

extension Value {
  /// The signature of this value. Arrays and dictionaries have their declared type; elements are not checked.
  ///
  /// - Throws: ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/invalid`` for a struct without fields.
  public var type: Signature {
    get throws(DBusError) {
      if let simpleCode { return Signature(trusted: simpleCode) }
      var text = ""
      try appendType(to: &text, structs: 0)
      return try Signature(text)
    }
  }

  /// The type of a value that declares none of its own; nil for arrays, dictionaries and structs.
  private var simpleCode: String? {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .variant: "v"
    case .array, .dictionary, .structure: nil
    }
  }

  private func appendType(to text: inout String, structs: Int) throws(DBusError) {
    switch self {
    case .array(_, of: let element):
      guard element.isSingleType else {
        throw DBusError(.invalid, "the elements of an array are of one single type")
      }
      text.append("a\(element.text)")
    case .dictionary(let dictionary):
      text.append("a{\(dictionary.entrySignature.text)}")
    case .structure(let fields):
      guard structs < SignatureParser.maximumStructs else {
        throw DBusError(.nestedTooDeeply, "a signature nests at most \(SignatureParser.maximumStructs) structs")
      }
      text.append("(")
      for field in fields { try field.appendType(to: &text, structs: structs + 1) }
      text.append(")")
    default:
      if let simpleCode { text.append(simpleCode) }
    }
  }
}

/// The content of a value, nil if it is of another type. All of them unwrap variants.
extension Value {
  /// The value inside however many variants.
  public var unwrapped: Value {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  public var byte: UInt8? {
    if case .byte(let value) = unwrapped { value } else { nil }
  }

  public var boolean: Bool? {
    if case .boolean(let value) = unwrapped { value } else { nil }
  }

  public var int16: Int16? {
    if case .int16(let value) = unwrapped { value } else { nil }
  }

  public var uint16: UInt16? {
    if case .uint16(let value) = unwrapped { value } else { nil }
  }

  public var int32: Int32? {
    if case .int32(let value) = unwrapped { value } else { nil }
  }

  public var uint32: UInt32? {
    if case .uint32(let value) = unwrapped { value } else { nil }
  }

  public var int64: Int64? {
    if case .int64(let value) = unwrapped { value } else { nil }
  }

  public var uint64: UInt64? {
    if case .uint64(let value) = unwrapped { value } else { nil }
  }

  public var double: Double? {
    if case .double(let value) = unwrapped { value } else { nil }
  }

  public var string: String? {
    if case .string(let value) = unwrapped { value } else { nil }
  }

  public var objectPath: ObjectPath? {
    if case .objectPath(let value) = unwrapped { value } else { nil }
  }

  public var signature: Signature? {
    if case .signature(let value) = unwrapped { value } else { nil }
  }

  public var descriptor: SharedDescriptor? {
    if case .descriptor(let value) = unwrapped { value } else { nil }
  }

  /// The bytes of an `ay`.
  public var bytes: [UInt8]? {
    switch unwrapped {
    case .bytes(let bytes): bytes
    case .array(let elements, of: let type) where type.text == "y": elements.compactMap(\.byte)
    default: nil
    }
  }

  /// The elements of an array other than `ay` and dictionaries.
  public var array: [Value]? {
    if case .array(let elements, of: _) = unwrapped { elements } else { nil }
  }

  /// The elements of an `as`.
  public var strings: [String]? {
    if case .array(let elements, of: let type) = unwrapped, type.text == "s" {
      elements.compactMap(\.string)
    } else {
      nil
    }
  }

  /// The elements of an `ao`.
  public var objectPaths: [ObjectPath]? {
    if case .array(let elements, of: let type) = unwrapped, type.text == "o" {
      elements.compactMap(\.objectPath)
    } else {
      nil
    }
  }

  public var structure: [Value]? {
    if case .structure(let fields) = unwrapped { fields } else { nil }
  }

  public var dictionary: DictionaryValue? {
    if case .dictionary(let value) = unwrapped { value } else { nil }
  }

  /// An `a{sv}`, or any dictionary with string keys, without the variants; of equal keys the last counts.
  public var properties: [String: Value]? {
    guard case .dictionary(let dictionary) = unwrapped, dictionary.entrySignature.text.utf8.first == UInt8(ascii: "s")
    else { return nil }
    var properties: [String: Value] = [:]
    properties.reserveCapacity(dictionary.entries.count)
    for entry in dictionary.entries {
      if case .string(let key) = entry.key { properties[key] = entry.value.unwrapped }
    }
    return properties
  }

  /// A value of any of the integer types, where it fits.
  public var integer: Int? {
    switch unwrapped {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(exactly: value)
    case .uint64(let value): Int(exactly: value)
    default: nil
    }
  }

  /// An `as`.
  public static func strings(_ texts: [String]) -> Value {
    .array(texts.map { .string($0) }, of: "s")
  }

  /// An `ao`.
  public static func objectPaths(_ paths: [ObjectPath]) -> Value {
    .array(paths.map { .objectPath($0) }, of: "o")
  }

  /// An `a{sv}`, the keys in alphabetical order; each value is put into a variant.
  public static func properties(_ properties: [String: Value]) -> Value {
    .dictionary(DictionaryValue(properties: properties))
  }
}

/// The entries of a D-Bus dictionary in the order of the message, with the types of its keys and values.
public struct DictionaryValue: Hashable, Sendable {
  /// One key with its value.
  public struct Entry: Hashable, Sendable {
    public var key: Value
    public var value: Value

    public init(key: Value, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// Key type and value type in one: `sv` for an `a{sv}`. A key's type is always one letter.
  let entrySignature: Signature
  public var entries: [Entry]

  /// A dictionary with keys and values of these types.
  ///
  /// - Throws: ``DBusError/Code/invalid`` where `key` is not a basic type or `value` not a single complete one,
  ///   ``DBusError/Code/nestedTooDeeply``. Whether the entries are of these types is checked when they are sent.
  public init(key: Signature, value: Signature, entries: [Entry] = []) throws(DBusError) {
    _ = try Signature("a{\(key)\(value)}")
    entrySignature = Signature(trusted: key.text + value.text)
    self.entries = entries
  }

  init(trusted entrySignature: Signature, entries: [Entry]) {
    self.entrySignature = entrySignature
    self.entries = entries
  }

  /// An `a{sv}`, the keys in alphabetical order; each value is put into a variant.
  public init(properties: [String: Value]) {
    entrySignature = Signature(trusted: "sv")
    entries = properties.sorted { $0.key < $1.key }
      .map { Entry(key: .string($0.key), value: .variant($0.value)) }
  }

  public var keyType: Signature { Signature(trusted: String(entrySignature.text.prefix(1))) }

  public var valueType: Signature { Signature(trusted: String(entrySignature.text.dropFirst())) }

  /// The value of the first entry with this key, unwrapped from variants.
  public subscript(key: String) -> Value? {
    for entry in entries {
      if case .string(let text) = entry.key, text == key { return entry.value.unwrapped }
    }
    return nil
  }
}
