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
