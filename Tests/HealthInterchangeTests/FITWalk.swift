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
