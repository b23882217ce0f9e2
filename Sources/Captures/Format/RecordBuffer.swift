import FoundationEssentials
import HealthModel
import Support
import Timeline

/// A buffer in which records are encoded. It is reused, so that a record needs no allocation.
struct RecordBuffer: ~Copyable {
  private(set) var bytes = RecordBytes()
  /// The number of event records in the buffer.
  private(set) var eventCount = 0
  private var start = 0

  mutating func removeAll() {
    bytes.removeAll()
    eventCount = 0
  }

  /// A copy of the buffer's content.
  func copy() -> [UInt8] {
    unsafe Array(bytes.buffer)
  }

  /// Appends the first line of a file.
  mutating func header(_ kind: TextHeader.Kind) {
    begin()
    bytes.append(contentsOf: TextHeader.word(for: kind).utf8)
    integer(TextHeader.version)
    finish()
  }

  /// Appends the beginning of a session, or its continuation in a later segment with the needed context.
  mutating func session(_ header: CaptureHeader, slot: Int, resumption: Resumption? = nil) {
    begin(slot)
    word(resumption == nil ? "session" : "resumes")
    uuid(header.session)
    word(header.sensor.address?.description ?? "-")
    if let name = header.sensor.name { string(name) } else { word("-") }
    string(header.source)
    if let linked = header.linkedTo {
      word("continues")
      uuid(linked)
    }
    if let boot = resumption?.boot {
      word("boot")
      identifier(boot)
    }
    if let offset = resumption?.wallMinusBootMicroseconds {
      word("clock")
      integer(offset)
    }
    if let instant = resumption?.instant {
      word("at")
      integer(instant.microseconds)
    }
    finish()
    if let request = header.request { self.request(request, slot: slot) }
    metadata(header.metadata, slot: slot)
  }

  /// Appends who asked for a session.
  private mutating func request(_ request: SessionRequest, slot: Int) {
    begin(slot)
    word("requested")
    uuid(request.identifier)
    integer(request.uid)
    string(request.application)
    word(request.endsWithClient ? "ends" : "stays")
    finish()
  }

  /// Appends metadata of a session, sorted by key. A number that is not finite is not written.
  mutating func metadata(_ metadata: Metadata, slot: Int) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard value.isWritable else { continue }
      begin(slot)
      word("meta")
      string(key)
      metadataValue(value)
      finish()
    }
  }

  mutating func metadataValue(_ value: MetadataValue) {
    switch value {
    case .text(let text): string(text)
    case .integer(let number):
      word("integer")
      integer(number)
    case .real(let real):
      word("real")
      word("\(real)")
    case .flag(let isTrue):
      word("boolean")
      word(isTrue ? "true" : "false")
    case .time(let time):
      word("time")
      integer(time.microseconds)
    case .quantity(let quantity):
      word("quantity")
      word("\(quantity.value)")
      string(quantity.unit.symbol)
    }
  }

  /// Appends a record of a kind that this version does not know, unchanged.
  mutating func carried(_ record: CarriedRecord, slot: Int) {
    begin(slot)
    word(record.fields)
    finish()
  }

  mutating func event(_ event: SensorEvent, slot: Int) {
    eventCount += 1
    begin(slot)
    integer(event.instant.microseconds)
    kind(event.kind)
    finish()
  }

  /// Appends a record that the store has the session.
  mutating func committed(_ session: UUID) {
    begin()
    bytes.append("committed")
    uuid(session)
    finish()
  }

  /// Appends a record that this segment repeats `segment` from byte `offset` on and all segments after it up to this
  /// one.
  mutating func rewrites(segment: Int, offset: Int) {
    begin()
    bytes.append("rewrites")
    integer(segment)
    integer(offset)
    finish()
  }

  private mutating func kind(_ kind: SensorEvent.Kind) {
    switch kind {
    case .measurement(let payload):
      bytes.append(payload.isEmpty ? " m -" : " m ")
      for byte in payload {
        bytes.append(Hexadecimal.digit(byte >> 4))
        bytes.append(Hexadecimal.digit(byte))
      }
    case .boot(let boot):
      bytes.append(" boot")
      identifier(boot)
    case .clock(let offset):
      bytes.append(" clock")
      integer(offset)
    case .connected: bytes.append(" connected")
    case .disconnected(let reason):
      bytes.append(" disconnected")
      if let reason { string(reason) }
    case .battery(let percent):
      bytes.append(" battery")
      integer(percent)
    case .location(let location):
      bytes.append(" location")
      integer(location)
    case .information(let field, let text):
      bytes.append(" information ")
      bytes.appendHexadecimal(UInt64(field.rawValue), digits: 4)
      string(text)
    case .signal(let strength):
      bytes.append(" signal")
      integer(strength)
    case .lost(let values, let reason):
      bytes.append(" lost")
      integer(values)
      string(reason)
    case .stalled(let microseconds):
      bytes.append(" stall")
      integer(microseconds)
    case .marker(let text, let earlier):
      bytes.append(" marker")
      string(text)
      if earlier != 0 { integer(earlier) }
    case .paused: bytes.append(" paused")
    case .continued: bytes.append(" continued")
    case .ended(let reason):
      bytes.append(" ended")
      word(reason.rawValue)
    }
  }

  private mutating func begin() {
    start = bytes.count
  }

  mutating func begin(_ slot: Int) {
    begin()
    bytes.appendDecimal(Int64(slot))
  }

  /// Completes the record with its checksum: eight digits after the last space, which the checksum does not cover.
  mutating func finish() {
    let checksum = bytes.checksum(from: start)
    bytes.append(UInt8(ascii: " "))
    bytes.appendHexadecimal(UInt64(checksum), digits: 8)
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func word(_ text: String) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func uuid(_ uuid: UUID) {
    word(uuid.uuidString.lowercased())
  }

  mutating func string(_ text: String) {
    var quoted: [UInt8] = []
    QuotedText.append(text, to: &quoted)
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: quoted)
  }

  private mutating func identifier(_ boot: BootIdentifier) {
    bytes.append(UInt8(ascii: " "))
    bytes.appendHexadecimal(boot.high, digits: 16)
    bytes.appendHexadecimal(boot.low, digits: 16)
  }

  mutating func integer(_ value: some FixedWidthInteger) {
    bytes.append(UInt8(ascii: " "))
    bytes.appendDecimal(Int64(value))
  }

  /// The context with which a session continues in a later segment.
  struct Resumption: Hashable {
    var boot: BootIdentifier?
    var wallMinusBootMicroseconds: Int64?
    /// The instant at which the session continues.
    var instant: BootInstant?
  }
}

extension MetadataValue {
  /// Whether a record can hold the value: a number that is not finite has no form.
  var isWritable: Bool {
    switch self {
    case .real(let number): number.isFinite
    case .quantity(let quantity): quantity.value.isFinite
    default: true
    }
  }
}
