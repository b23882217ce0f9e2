/// Encodes messages of a FIT file, little endian. A definition stands in front of the first message of its kind.
struct FITMessages: ~Copyable {
  /// A field with its value.
  enum Value {
    case enumeration(UInt8)
    case uint8(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case uint32z(UInt32)
    /// Text of that many bytes, its end included.
    case text(String, bytes: Int)
    case bytes([UInt8])
    /// Always five: the rest is padded with what means nothing.
    case intervals(ArraySlice<UInt16>)

    fileprivate var size: UInt8 {
      switch self {
      case .enumeration, .uint8: 1
      case .uint16: 2
      case .uint32, .uint32z: 4
      case .text(_, let bytes): UInt8(clamping: bytes)
      case .bytes(let bytes): UInt8(clamping: bytes.count)
      case .intervals: 10
      }
    }

    fileprivate var base: FITProfile.Base {
      switch self {
      case .enumeration: .enumeration
      case .uint8: .uint8
      case .uint16, .intervals: .uint16
      case .uint32: .uint32
      case .uint32z: .uint32z
      case .text: .string
      case .bytes: .bytes
      }
    }
  }

  var buffer = PieceBuffer()
  private var defined: Set<UInt8> = []

  /// Appends a message as the local type `local`. All messages of one local type have the same fields.
  /// `texts` are fields of our own (`developer fields`), which have to be described before.
  mutating func append(
    _ message: UInt16, as local: UInt8, _ fields: [(number: UInt8, value: Value)],
    texts: [(number: UInt8, text: String)] = []
  ) {
    let own = texts.map { (number: $0.number, value: Value.text($0.text, bytes: min($0.text.utf8.count + 1, 255))) }
    if defined.insert(local).inserted {
      buffer.append([(own.isEmpty ? 0x40 : 0x60) | local, 0, 0])
      append(message)
      buffer.append(byte: UInt8(fields.count))
      for field in fields { buffer.append([field.number, field.value.size, field.value.base.rawValue]) }
      if !own.isEmpty { buffer.append(byte: UInt8(own.count)) }
      for field in own { buffer.append([field.number, field.value.size, 0]) }
    }
    buffer.append(byte: local)
    for field in fields { append(field.value) }
    for field in own { append(field.value) }
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .enumeration(let value), .uint8(let value): buffer.append(byte: value)
    case .uint16(let value): append(value)
    case .uint32(let value), .uint32z(let value): append(value)
    case .bytes(let bytes): buffer.append(bytes)
    case .text(let text, let size):
      let kept = Self.prefix(text, bytes: size - 1)
      buffer.append(kept)
      buffer.append(repeatElement(0, count: size - kept.count))
    case .intervals(let intervals):
      for position in 0..<5 {
        append(position < intervals.count ? intervals[intervals.startIndex + position] : 0xFFFF)
      }
    }
  }

  /// As much of a text as fits, in whole characters.
  static func prefix(_ text: String, bytes: Int) -> [UInt8] {
    var kept: [UInt8] = []
    for character in text {
      guard kept.count + character.utf8.count <= bytes else { break }
      kept += character.utf8
    }
    return kept
  }

  private mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    var rest = value
    for _ in 0..<(value.bitWidth / 8) {
      buffer.append(byte: UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
