/// How the messages of a local type are made.
struct FITDefinition: Hashable {
  struct Field: Hashable {
    var number: UInt8
    var size: Int
    var base: UInt8
  }

  let message: UInt16
  let isBigEndian: Bool
  let fields: [Field]
  /// Of the fields of applications, which are only passed over.
  let developerLength: Int

  /// All fields of a message together.
  var length: Int { fields.reduce(developerLength) { $0 + $1.size } }

  /// Reads a whole definition with its head; nil where it has a byte order that is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard bytes.count >= 6, bytes[start + 2] <= 1 else { return nil }
    isBigEndian = bytes[start + 2] == 1
    let (first, second) = (UInt16(bytes[start + 3]), UInt16(bytes[start + 4]))
    message = isBigEndian ? first << 8 | second : second << 8 | first
    let count = Int(bytes[start + 5])
    guard bytes.count >= 6 + 3 * count else { return nil }
    fields = (0..<count).map { index in
      let place = start + 6 + 3 * index
      return Field(number: bytes[place], size: Int(bytes[place + 1]), base: bytes[place + 2])
    }
    var developer = 0
    // The number of developer fields, and three bytes for each.
    let more = bytes.dropFirst(6 + 3 * count)
    if let number = more.first.map(Int.init), more.count >= 1 + 3 * number {
      for index in 0..<number { developer += Int(more[more.startIndex + 1 + 3 * index + 1]) }
    }
    developerLength = developer
  }
}

/// The fields of one message.
struct FITFields {
  let definition: FITDefinition
  private let bytes: ArraySlice<UInt8>

  init(_ definition: FITDefinition, _ bytes: ArraySlice<UInt8>) {
    self.definition = definition
    self.bytes = bytes
  }

  private func find(_ number: UInt8) -> (field: FITDefinition.Field, bytes: ArraySlice<UInt8>)? {
    var place = bytes.startIndex
    for field in definition.fields {
      if field.number == number { return (field, bytes[place..<(place + field.size)]) }
      place += field.size
    }
    return nil
  }

  /// The unsigned numbers of a field without those that mean that there is none; empty for a field that has no such numbers.
  func numbers(_ number: UInt8) -> [UInt64] {
    guard let (field, bytes) = find(number), let base = FITProfile.Base(rawValue: field.base) else { return [] }
    let invalid: UInt64
    switch base {
    case .enumeration, .uint8, .uint16, .uint32, .uint64:
      invalid = base.size == 8 ? .max : (1 << (8 * UInt64(base.size))) - 1
    case .uint8z, .uint16z, .uint32z, .uint64z: invalid = 0
    default: return []
    }
    guard field.size % base.size == 0 else { return [] }
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: base.size).compactMap { place in
      let part = bytes[place..<(place + base.size)]
      let value = (definition.isBigEndian ? Array(part) : part.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return value == invalid ? nil : value
    }
  }

  /// The one number of a field.
  func number(_ number: UInt8) -> UInt64? { numbers(number).first }

  /// The text of a field; nil where there is none.
  func text(_ number: UInt8) -> String? {
    guard let (field, bytes) = find(number), field.base == FITProfile.Base.string.rawValue else { return nil }
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  var hasDeveloperFields: Bool { definition.developerLength > 0 }
}
