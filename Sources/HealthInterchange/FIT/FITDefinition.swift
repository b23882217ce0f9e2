/// The layout of the messages of a local type.
struct FITDefinition: Hashable {
  struct Field: Hashable {
    var number: UInt8
    var size: Int
    var base: UInt8
  }

  let message: UInt16
  let isBigEndian: Bool
  let fields: [Field]
  /// The fields of applications; `base` is the number of the application in the file.
  let developerFields: [Field]
  /// The length of the fields that are not an application's.
  let nativeLength: Int

  /// All fields of a message together.
  let length: Int

  /// Reads a whole definition with its head, at the beginning of `bytes`; nil for an invalid byte order.
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
    var developer: [Field] = []
    // The number of developer fields, and three bytes for each.
    let more = bytes.dropFirst(6 + 3 * count)
    if bytes[start] & 0x20 != 0, let number = more.first.map(Int.init), more.count >= 1 + 3 * number {
      for index in 0..<number {
        let place = more.startIndex + 1 + 3 * index
        developer.append(Field(number: more[place], size: Int(more[place + 1]), base: more[place + 2]))
      }
    }
    developerFields = developer
    nativeLength = fields.reduce(0) { $0 + $1.size }
    length = developer.reduce(nativeLength) { $0 + $1.size }
  }

  /// The place of a field in a message, behind the head; nil for a number that no field of the message has.
  func place(of number: UInt8) -> (field: Field, start: Int)? {
    Self.place(of: { $0.number == number }, in: fields, from: 0)
  }

  /// The same for a field of an application.
  func place(of number: UInt8, ofDeveloper index: UInt8) -> (field: Field, start: Int)? {
    Self.place(of: { $0.number == number && $0.base == index }, in: developerFields, from: nativeLength)
  }

  private static func place(
    of isWanted: (Field) -> Bool, in fields: [Field], from start: Int
  ) -> (field: Field, start: Int)? {
    var start = start
    for field in fields {
      if isWanted(field) { return (field, start) }
      start += field.size
    }
    return nil
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
    guard let (field, start) = definition.place(of: number) else { return nil }
    return (field, bytes.dropFirst(start).prefix(field.size))
  }

  /// The bytes of a field as they are; empty for a field that the message lacks.
  func bytes(_ number: UInt8) -> ArraySlice<UInt8> { find(number)?.bytes ?? [] }

  /// The unsigned numbers of a field without invalid ones; empty for a field of another type.
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

  /// The text of a field; nil for a field that the message lacks.
  func text(_ number: UInt8) -> String? {
    guard let (field, bytes) = find(number), field.base == FITProfile.Base.string.rawValue else { return nil }
    return Self.text(bytes)
  }

  /// The text of an application's field; nil for a field that the message lacks.
  func text(_ number: UInt8, ofDeveloper index: UInt8) -> String? {
    guard let (field, start) = definition.place(of: number, ofDeveloper: index) else { return nil }
    return Self.text(bytes.dropFirst(start).prefix(field.size))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// Whether there are fields of any application but this one.
  func hasDeveloperFields(otherThan index: UInt8?) -> Bool {
    definition.developerFields.contains { $0.base != index }
  }
}
