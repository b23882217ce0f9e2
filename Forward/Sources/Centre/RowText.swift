internal import Bits
internal import SeriesStore

/// Rows as JSON, from which they can be made again: nothing is rounded, and no kind is lost.
public enum RowText {
  /// An object with a member for each column: numbers, texts and null as themselves, a real with a point or an exponent;
  /// `{"blob": "hexadecimal digits"}`, and `{"real": "inf"}` for what is no number in JSON.
  static func json(_ row: StoredRow) -> String {
    let members = zip(row.columns, row.values).map { "\(quoted($0)):\(json($1))" }
    return "{\(members.joined(separator: ","))}"
  }

  static func json(_ value: SQLValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): real.isFinite ? "\(real)" : "{\"real\":\"\(real)\"}"
    case .text(let text): quoted(text)
    case .blob(let bytes): "{\"blob\":\"\(Hexadecimal.text(bytes))\"}"
    }
  }

  /// A text as JSON has it, with its quotation marks.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// Reads what ``RowText`` wrote.
struct RowReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The only value; nil where the text is another.
  mutating func wholeValue() -> SQLValue? {
    guard let value = value(), place == bytes.count else { return nil }
    return value
  }

  /// The members of the only object, in order; nil where the text is another.
  mutating func wholeObject() -> [(name: String, value: SQLValue)]? {
    guard let members = object(), place == bytes.count else { return nil }
    return members
  }

  private mutating func object() -> [(name: String, value: SQLValue)]? {
    var members: [(name: String, value: SQLValue)] = []
    guard take("{") else { return nil }
    if take("}") { return members }
    repeat {
      guard let name = string(), take(":"), let value = value() else { return nil }
      members.append((name, value))
    } while take(",")
    return take("}") ? members : nil
  }

  private mutating func value() -> SQLValue? {
    switch place < bytes.count ? bytes[place] : 0 {
    case UInt8(ascii: "\""): return string().map { .text($0) }
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    case UInt8(ascii: "{"): return take("{\"blob\":") ? blob() : take("{\"real\":") ? real() : nil
    default: return number()
    }
  }

  private mutating func blob() -> SQLValue? {
    guard let text = string(), take("}"), let bytes = Hexadecimal.bytes(text) else { return nil }
    return .blob(bytes)
  }

  private mutating func real() -> SQLValue? {
    guard let text = string(), take("}"), let real = Double(text) else { return nil }
    return .real(real)
  }

  private mutating func number() -> SQLValue? {
    let start = place
    while place < bytes.count, Self.isOfNumber(bytes[place]) { place += 1 }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard place < bytes.count else { return nil }
        let escaped = bytes[place]
        place += 1
        if escaped == UInt8(ascii: "u") {
          // Of control characters only.
          guard place + 4 <= bytes.count,
            let code = UInt8(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16), code < 32
          else { return nil }
          text.append(code)
          place += 4
        } else if escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") {
          text.append(escaped)
        } else {
          return nil
        }
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[place...].starts(with: text.utf8) else { return false }
    place += text.utf8.count
    return true
  }
}

extension Field {
  /// A value that the server gave for a column of this kind, as text.
  public init(_ text: String?, of kind: CentreTable.Kind) {
    guard let text else { self = .null; return }
    if kind == .bytea, text.hasPrefix("\\x"), let bytes = Hexadecimal.bytes(String(text.dropFirst(2))) {
      self = .bytes(bytes)
    } else {
      self = .text(text)
    }
  }
}
