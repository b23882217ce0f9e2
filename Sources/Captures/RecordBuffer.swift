import FoundationEssentials
import Sensors

/// Where records are put together: a buffer that is used again and again, so that a record takes no allocation.
struct RecordBuffer {
  private(set) var bytes: [UInt8] = []
  /// Records in the buffer that are events.
  private(set) var eventCount = 0
  private var start = 0

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    eventCount = 0
  }

  /// The first line of a file.
  mutating func header(_ kind: TextHeader.Kind) {
    record(TextHeader.word(for: kind)) { $0.integer(TextHeader.version) }
  }

  /// Opens a session under a slot, or names it again in a later segment with what is needed to go on.
  mutating func session(_ header: CaptureHeader, slot: Int, resumption: Resumption? = nil) {
    record(slot: slot, resumption == nil ? "session" : "resumes") { record in
      record.word(header.session)
      record.word(header.sensor.address?.description ?? "-")
      if let name = header.sensor.name { record.string(name) } else { record.word("-") }
      record.string(header.source)
      if let linked = header.linkedTo {
        record.word("continues")
        record.word(linked)
      }
      if let boot = resumption?.boot {
        record.word("boot")
        record.identifier(boot)
      }
      if let offset = resumption?.wallMinusBootMicroseconds {
        record.word("clock")
        record.integer(offset)
      }
      if let instant = resumption?.instant {
        record.word("at")
        record.integer(instant.microseconds)
      }
    }
    for (key, value) in header.metadata.sorted(by: { $0.key < $1.key }) {
      record(slot: slot, "meta") { record in
        record.string(key)
        record.string(value)
      }
    }
  }

  mutating func event(_ event: SensorEvent, slot: Int) {
    eventCount += 1
    start = bytes.count
    digits(Int64(slot))
    integer(event.instant.microseconds)
    kind(event.kind)
    finish()
  }

  /// The store has the session.
  mutating func committed(_ session: UUID) {
    record("committed") { $0.word(session) }
  }

  /// What stands in `segment` from byte `offset` on, and in all segments after it up to this one, stands here again.
  mutating func rewrites(segment: Int, offset: Int) {
    record("rewrites") { record in
      record.integer(segment)
      record.integer(offset)
    }
  }

  mutating func append(_ other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  private mutating func kind(_ kind: SensorEvent.Kind) {
    switch kind {
    case .measurement(let payload):
      word("m")
      bytes.append(UInt8(ascii: " "))
      if payload.isEmpty { bytes.append(UInt8(ascii: "-")) }
      for byte in payload {
        bytes.append(Hexadecimal.digit(byte >> 4))
        bytes.append(Hexadecimal.digit(byte))
      }
    case .boot(let boot):
      word("boot")
      identifier(boot)
    case .clock(let offset):
      word("clock")
      integer(offset)
    case .connected: word("connected")
    case .disconnected(let reason):
      word("disconnected")
      if let reason { string(reason) }
    case .battery(let percent):
      word("battery")
      integer(percent)
    case .location(let location):
      word("location")
      integer(location)
    case .information(let field, let text):
      word("information")
      bytes.append(UInt8(ascii: " "))
      hexadecimal(UInt64(field.rawValue), digits: 4)
      string(text)
    case .signal(let strength):
      word("signal")
      integer(strength)
    case .lost(let values, let reason):
      word("lost")
      integer(values)
      string(reason)
    case .ended(let reason):
      word("ended")
      word(reason.rawValue)
    }
  }

  private mutating func record(slot: Int, _ word: String, _ fields: (inout RecordBuffer) -> Void) {
    start = bytes.count
    digits(Int64(slot))
    self.word(word)
    fields(&self)
    finish()
  }

  private mutating func record(_ word: String, _ fields: (inout RecordBuffer) -> Void) {
    start = bytes.count
    bytes.append(contentsOf: word.utf8)
    fields(&self)
    finish()
  }

  /// Closes the record with its checksum: eight digits after the last space, which the checksum does not cover.
  private mutating func finish() {
    let checksum = CRC32C.checksum(bytes.span, start..<bytes.count)
    bytes.append(UInt8(ascii: " "))
    hexadecimal(UInt64(checksum), digits: 8)
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func word(_ text: String) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func word(_ uuid: UUID) {
    word(uuid.uuidString.lowercased())
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: " "))
    QuotedText.append(text, to: &bytes)
  }

  private mutating func identifier(_ boot: BootIdentifier) {
    bytes.append(UInt8(ascii: " "))
    hexadecimal(boot.high, digits: 16)
    hexadecimal(boot.low, digits: 16)
  }

  private mutating func integer(_ value: some FixedWidthInteger) {
    bytes.append(UInt8(ascii: " "))
    digits(Int64(value))
  }

  private mutating func digits(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let first = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[first...].reverse()
  }

  private mutating func hexadecimal(_ value: UInt64, digits: Int) {
    for shift in stride(from: (digits - 1) * 4, through: 0, by: -4) {
      bytes.append(Hexadecimal.digit(value >> UInt64(shift)))
    }
  }

  /// Where a session stands when a later segment goes on with it.
  struct Resumption: Hashable {
    var boot: BootIdentifier?
    var wallMinusBootMicroseconds: Int64?
    /// When it is gone on with.
    var instant: BootInstant?
  }
}
