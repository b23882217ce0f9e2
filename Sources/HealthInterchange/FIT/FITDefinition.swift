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

  /// The numbers of a field from 0 on, without invalid ones; empty for a field of another type.
  func numbers(_ number: UInt8) -> [UInt64] {
    guard let (field, bytes) = find(number), let base = FITProfile.Base(rawValue: field.base), base.isInteger,
      field.size % base.size == 0
    else { return [] }
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: base.size).compactMap { place in
      let bits = bits(bytes[place..<(place + base.size)])
      return base.isInvalid(bits) || base.isNegative(bits) ? nil : bits
    }
  }

  /// The one number of a field from 0 on.
  func number(_ number: UInt8) -> UInt64? { numbers(number).first }

  /// The first number of a field of any numeric type, signs and fractions included; nil for an invalid one.
  func value(_ number: UInt8) -> Double? {
    guard let (field, bytes) = find(number) else { return nil }
    return value(of: bytes, FITProfile.Base(rawValue: field.base))
  }

  /// The same for a field of an application, whose type stands in the field's description.
  func value(_ number: UInt8, ofDeveloper index: UInt8, _ base: FITProfile.Base) -> Double? {
    guard let (field, start) = definition.place(of: number, ofDeveloper: index) else { return nil }
    return value(of: bytes.dropFirst(start).prefix(field.size), base)
  }

  private func value(of bytes: ArraySlice<UInt8>, _ base: FITProfile.Base?) -> Double? {
    guard let base, bytes.count >= base.size, bytes.count % base.size == 0 else { return nil }
    let bits = bits(bytes.prefix(base.size))
    guard !base.isInvalid(bits) else { return nil }
    switch base {
    case .string, .bytes: return nil
    case .float32:
      let value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      return value.isFinite ? value : nil
    case .float64:
      let value = Double(bitPattern: bits)
      return value.isFinite ? value : nil
    case .sint8: return Double(Int8(truncatingIfNeeded: bits))
    case .sint16: return Double(Int16(truncatingIfNeeded: bits))
    case .sint32: return Double(Int32(truncatingIfNeeded: bits))
    case .sint64: return Double(Int64(truncatingIfNeeded: bits))
    default: return Double(bits)
    }
  }

  private func bits(_ part: ArraySlice<UInt8>) -> UInt64 {
    definition.isBigEndian
      ? part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : part.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

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
    let bytes = bytes.prefix { $0 != 0 }
    // Bytes that are all 255 mean "no text".
    guard !bytes.allSatisfy({ $0 == 0xFF }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether there are fields of any application but this one.
  func hasDeveloperFields(otherThan index: UInt8?) -> Bool {
    definition.developerFields.contains { $0.base != index }
  }
}
