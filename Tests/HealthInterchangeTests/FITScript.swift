@testable import HealthInterchange

/// FIT files from messages as values, for tests of readers.
struct FITScript {
  /// A field: its number, base type and value in the type's bits; nil for the type's "no value".
  struct Field {
    var number: UInt8
    var base: FITProfile.Base
    var bytes: [UInt8]

    init(_ number: UInt8, _ base: FITProfile.Base, _ value: Int64?) {
      (self.number, self.base) = (number, base)
      let ones = base.size == 8 ? UInt64.max : 1 << (8 * UInt64(base.size)) - 1
      let none: UInt64 =
        switch base {
        case .uint8z, .uint16z, .uint32z, .uint64z: 0
        case .sint8, .sint16, .sint32, .sint64: ones >> 1
        default: ones
        }
      let bits = value.map { UInt64(bitPattern: $0) } ?? none
      bytes = (0..<base.size).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }

    init(_ number: UInt8, _ base: FITProfile.Base, bytes: [UInt8]) {
      (self.number, self.base, self.bytes) = (number, base, bytes)
    }

    init(_ number: UInt8, text: String) {
      self.init(number, .string, bytes: Array(text.utf8) + [0])
    }
  }

  private var body: [UInt8] = []

  /// Adds a message with its definition.
  mutating func add(_ message: UInt16, _ fields: [Field]) {
    body += [0x40, 0, 0, UInt8(truncatingIfNeeded: message), UInt8(message >> 8), UInt8(fields.count)]
    for field in fields { body += [field.number, UInt8(field.bytes.count), field.base.rawValue] }
    body += [0] + fields.flatMap(\.bytes)
  }

  /// 2021-11-22T17:48:32Z in FIT's seconds.
  static let first: Int64 = 0x3C00_0000

  /// The time of a message, so many seconds after the first.
  static func time(_ second: Int64, as number: UInt8 = 253) -> Field { Field(number, .uint32, first + second) }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [12, 0x10, 0, 0]
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: body.count >> shift)) }
    bytes += Array(".FIT".utf8) + body
    var checksum = FITChecksum()
    checksum.add(bytes)
    return bytes + [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
  }
}
