import Bits

/// A byte buffer with its own memory, which is reused without a uniqueness check for each byte.
@safe struct RecordBytes: ~Copyable {
  private var storage: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init() {
    unsafe storage = .allocate(capacity: 512)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// The bytes so far; valid until the next change.
  var buffer: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: storage[..<count])
  }

  mutating func removeAll() {
    count = 0
  }

  mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe storage[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    for index in 0..<length {
      unsafe storage[count + index] = text.utf8Start[index]
    }
    count += length
  }

  mutating func append(contentsOf bytes: some Collection<UInt8>) {
    reserve(bytes.count)
    for byte in bytes {
      append(byte)
    }
  }

  /// A number in decimal digits, with a sign where it is negative.
  mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var length = 1
    var limit: UInt64 = 10
    while magnitude >= limit, length < 19 {
      length += 1
      limit &*= 10
    }
    reserve(length)
    var rest = magnitude
    for index in stride(from: count + length - 1, through: count, by: -1) {
      unsafe storage[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Appends the lowest `digits` hexadecimal digits of a number.
  mutating func appendHexadecimal(_ value: UInt64, digits: Int) {
    reserve(digits)
    for index in 0..<digits {
      unsafe storage[count + index] = Hexadecimal.digit(value >> UInt64(4 * (digits - 1 - index)))
    }
    count += digits
  }

  /// The CRC-32C of the bytes from `start` on.
  func checksum(from start: Int) -> UInt32 {
    unsafe CRC32C.checksum(buffer.span, start..<count)
  }

  @inline(__always)
  private mutating func reserve(_ room: Int) {
    if unsafe storage.count - count < room { grow(room) }
  }

  private mutating func grow(_ room: Int) {
    let larger = unsafe UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * storage.count, count + room))
    _ = unsafe larger.update(fromContentsOf: buffer)
    unsafe storage.deallocate()
    unsafe storage = larger
  }
}

/// Text in a record: printable ASCII between quotation marks, everything else as `\u{hex}`.
///
/// A peripheral's name may hold any characters. A quoted name cannot end a line, move a terminal's cursor, change the
/// direction of writing, or look like another field.
enum QuotedText {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case " "..."~":
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      default:
        bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Reads text from its opening to its closing quotation mark. Returns the text and what follows; nil if it is not valid.
  static func read(_ bytes: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>)? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    var text = String.UnicodeScalarView()
    var rest = bytes.dropFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return (String(text), rest)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped(&rest) else { return nil }
        text.append(scalar)
      case 0x20...0x7E: text.append(Unicode.Scalar(byte))
      default: return nil
      }
    }
    return nil
  }

  /// Decodes an escape sequence after its backslash.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case UInt8(ascii: "\"")?: return "\""
    case UInt8(ascii: "\\")?: return "\\"
    case UInt8(ascii: "u")?:
      guard rest.popFirst() == UInt8(ascii: "{") else { return nil }
      var value: UInt32 = 0
      var count = 0
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "}") { return count > 0 ? Unicode.Scalar(value) : nil }
        count += 1
        guard let digit = Hexadecimal.value(byte), count <= 6 else { return nil }
        value = value << 4 | UInt32(digit)
      }
      return nil
    default: return nil
    }
  }
}
