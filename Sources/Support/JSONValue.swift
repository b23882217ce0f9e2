/// A JSON value (RFC 8259) whose objects keep the order in which they were written.
///
/// Programs compare the output of `sensord` byte for byte, so order, number format and escapes are fixed here.
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

extension JSONValue {
  /// Appends the compact form, and the end of a line.
  package func appendLine(to bytes: inout [UInt8]) {
    write(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the compact form.
  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): bytes.append(decimal: Int(value))
    case .number(let value): Self.write(value, to: &bytes)
    case .string(let value): Self.write(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (position, member) in members.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// The fewest digits that read back as the same number; a whole number has no `.0`.
  private static func write(_ value: Double, to bytes: inout [UInt8]) {
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 {
      bytes.append(decimal: whole)
    } else {
      bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }
  }

  /// Escapes whatever a terminal would act upon, not only what JSON demands: the output is also read by people.
  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: "\\\"".utf8)
      case "\\": bytes.append(contentsOf: "\\\\".utf8)
      case "\n": bytes.append(contentsOf: "\\n".utf8)
      case "\r": bytes.append(contentsOf: "\\r".utf8)
      case "\t": bytes.append(contentsOf: "\\t".utf8)
      default:
        if PrintableText.isSafe(scalar) {
          bytes.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
        } else {
          for unit in UTF16.encode(scalar)?.map({ $0 }) ?? [] { writeEscape(unit, to: &bytes) }
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func writeEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\\u".utf8)
    for shift in stride(from: 12, through: 0, by: -4) { bytes.append(Hexadecimal.digit(unit >> UInt16(shift))) }
  }
}

extension [UInt8] {
  /// Appends `value` with leading zeros up to `digits`; a value of more digits keeps them all.
  package mutating func append(decimal value: Int, digits: Int = 1) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var length = 1
    var bound: UInt = 10
    while magnitude >= bound {
      length += 1
      // At twenty digits the bound would not fit any more, and there is no longer number.
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    length = Swift.max(length, digits)
    for _ in 0..<length { append(UInt8(ascii: "0")) }
    var rest = magnitude
    var position = count
    while rest > 0 {
      position -= 1
      self[position] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
