/// A JSON value (RFC 8259) whose objects keep the order in which they were written.
///
/// Programs compare the output of `sensord` byte for byte, so order, number format and escapes are ours.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number that is not finite is written as `null`: JSON has none.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One `"name": value` of an object.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The compact form: no spaces, no line feeds.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The compact form in UTF-8.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// An array with every element on a line of its own, so that a person, `grep` and `diff` can read it.
  package static func lines(_ elements: [JSONValue]) -> [UInt8] {
    var bytes = Array("[".utf8)
    for (position, element) in elements.enumerated() {
      bytes += position == 0 ? Array("\n".utf8) : Array(",\n".utf8)
      element.write(to: &bytes)
    }
    bytes += Array((elements.isEmpty ? "]\n" : "\n]\n").utf8)
    return bytes
  }
}

extension JSONValue {
  /// An integer, or null.
  package static func integer(_ value: (some BinaryInteger)?) -> JSONValue {
    value.map { .integer(Int64($0)) } ?? .null
  }

  /// A number, or null.
  package static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

  /// A string, or null.
  package static func string(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

  /// A truth value, or null.
  package static func bool(_ value: Bool?) -> JSONValue { value.map { .bool($0) } ?? .null }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0, $1) })
  }
}

extension JSONValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
