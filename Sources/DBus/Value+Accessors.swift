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
