@testable import HealthInterchange

/// The messages of a FIT file that was written here, one after the other.
struct FITWalk {
  private(set) var messages: [FITFields] = []

  init(_ bytes: [UInt8]) {
    var definitions: [UInt8: FITDefinition] = [:]
    var place = 14
    while place < bytes.count - 2 {
      let head = bytes[place]
      if head & 0x40 != 0 {
        var length = 6 + 3 * Int(bytes[place + 5])
        if head & 0x20 != 0 { length += 1 + 3 * Int(bytes[place + length]) }
        definitions[head & 0x0F] = FITDefinition(bytes[place..<(place + length)])
        place += length
      } else if let definition = definitions[head & 0x0F] {
        messages.append(FITFields(definition, bytes[(place + 1)..<(place + 1 + definition.length)]))
        place += 1 + definition.length
      } else {
        return
      }
    }
  }

  func all(_ message: UInt16) -> [FITFields] { messages.filter { $0.definition.message == message } }

  /// The seconds from `start` at which the timer starts and stops.
  func timer(since start: Int64) -> [TimerEvent] {
    all(FITProfile.Message.event).map { event in
      TimerEvent(
        second: Self.second(event, since: start), isStart: event.number(1) == UInt64(FITProfile.Timer.start))
    }
  }

  struct TimerEvent {
    var second: Int64
    var isStart: Bool
  }

  /// The second of a message's time.
  static func second(_ fields: FITFields, since start: Int64) -> Int64 {
    Int64(fields.number(253) ?? 0) + FITProfile.epoch - start
  }
}

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
