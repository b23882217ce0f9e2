import DBus

/// A value of `org.bluez` independent of the bus: the few D-Bus types that bluetoothd sends and accepts.
enum Property: Hashable, Sendable {
  /// `b`
  case bool(Bool)
  /// `y`
  case byte(UInt8)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `u`
  case uint32(UInt32)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(String)
  /// `as`
  case strings([String])
  /// `ao`
  case objectPaths([String])
  /// `ay`
  case bytes([UInt8])
  /// `a{qv}` of byte arrays: company identifier to its data.
  case manufacturerData([UInt16: [UInt8]])
  /// `a{sv}`
  case dictionary([String: Property])
  /// `v`: the answer of Properties.Get.
  indirect case variant(Property)
  /// `a{oa{sa{sv}}}`: every object with its interfaces, the answer to GetManagedObjects.
  case objects([String: Interfaces])
}

/// The properties of one interface by name.
typealias Properties = [String: Property]

/// The interfaces of one object by name.
typealias Interfaces = [String: Properties]

extension Property {
  /// The value as the bus carries it.
  var value: Value {
    switch self {
    case .bool(let bool): .boolean(bool)
    case .byte(let byte): .byte(byte)
    case .int16(let number): .int16(number)
    case .uint16(let number): .uint16(number)
    case .uint32(let number): .uint32(number)
    case .string(let string): .string(string)
    case .objectPath(let path): .objectPath(ObjectPath(path) ?? .root)
    case .strings(let strings): .strings(strings)
    case .objectPaths(let paths): .objectPaths(paths.compactMap { ObjectPath($0) })
    case .bytes(let bytes): .bytes(bytes)
    case .manufacturerData(let data):
      Self.dictionary(
        key: "q", value: "v",
        data.sorted { $0.key < $1.key }.map {
          DictionaryValue.Entry(key: .uint16($0.key), value: .variant(.bytes($0.value)))
        })
    case .dictionary(let properties): Self.value(properties)
    case .variant(let property): .variant(property.value)
    case .objects(let objects):
      Self.dictionary(
        key: "o", value: "a{sa{sv}}",
        objects.sorted { $0.key < $1.key }.map {
          DictionaryValue.Entry(key: .objectPath(ObjectPath($0.key) ?? .root), value: Self.value($0.value))
        })
    }
  }

  /// The properties of an interface, `a{sv}`.
  static func value(_ properties: Properties) -> Value {
    .properties(properties.mapValues(\.value))
  }

  /// The interfaces of an object, `a{sa{sv}}`.
  static func value(_ interfaces: Interfaces) -> Value {
    dictionary(
      key: "s", value: "a{sv}",
      interfaces.sorted { $0.key < $1.key }.map {
        DictionaryValue.Entry(key: .string($0.key), value: value($0.value))
      })
  }

  /// A value from the bus; nil for types that no method of `org.bluez` has.
  init?(_ value: Value) {
    switch value {
    case .boolean(let bool): self = .bool(bool)
    case .byte(let byte): self = .byte(byte)
    case .int16(let number): self = .int16(number)
    case .uint16(let number): self = .uint16(number)
    case .uint32(let number): self = .uint32(number)
    case .string(let string): self = .string(string)
    case .objectPath(let path): self = .objectPath(path.text)
    case .bytes(let bytes): self = .bytes(bytes)
    case .variant(let inner): self.init(inner)
    case .array:
      if let strings = value.strings {
        self = .strings(strings)
      } else if let paths = value.objectPaths {
        self = .objectPaths(paths.map(\.text))
      } else {
        return nil
      }
    case .dictionary:
      guard let entries = value.properties else { return nil }
      var properties: Properties = [:]
      for (name, entry) in entries {
        guard let property = Property(entry) else { return nil }
        properties[name] = property
      }
      self = .dictionary(properties)
    default: return nil
    }
  }

  /// The type's D-Bus signature.
  var signature: String {
    switch self {
    case .bool: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .uint32: "u"
    case .string: "s"
    case .objectPath: "o"
    case .strings: "as"
    case .objectPaths: "ao"
    case .bytes: "ay"
    case .manufacturerData: "a{qv}"
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .objects: "a{oa{sa{sv}}}"
    }
  }

  private static func dictionary(key: Signature, value: Signature, _ entries: [DictionaryValue.Entry]) -> Value {
    // Cannot fail: the signatures above are a basic key and a single complete value.
    (try? DictionaryValue(key: key, value: value, entries: entries)).map { .dictionary($0) } ?? .properties([:])
  }
}
